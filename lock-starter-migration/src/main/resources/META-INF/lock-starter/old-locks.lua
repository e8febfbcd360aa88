-- Holds locks of other libraries together with ours: whoever acquires a lock takes the old one with it,
-- in the same step, or neither. A part of the script, between lock.lua and commands.lua, if there are rules for it.
--
-- Uses     what lock.lua defines. In KEYS, each lock and what follows it are followed by the name of its old one, and by a key of
--          ours whose name says what kind of lock that is; by the lock itself, twice, if it has no old one
-- Defines  acquire, release and uncommon anew, and keys, without those of old locks
do
	-- The clock of the server and those of the clients that compare times differ by less, in ms.
	local MARGIN = 5000

	local tag = keys[1]:match('^{.-}')

	-- of each lock: the name of its old one, and of the key of ours beside that
	local old_names, notes = {}, {}
	if (#KEYS + 1 - commands_at) % 6 ~= 0 then
		return redis.error_reply('ERR nothing was executed: each lock needs the name of its old one, and a key beside it')
	end
	keys = { unpack(KEYS, 1, commands_at - 1) }
	for i = commands_at, #KEYS, 6 do
		local lock = KEYS[i]
		for own = i, i + 3 do
			keys[#keys + 1] = KEYS[own]
		end
		if KEYS[i + 5] ~= lock then
			old_names[lock], notes[lock] = KEYS[i + 4], KEYS[i + 5]
		end
	end

	local acquire_ours, release_ours = acquire, release

	local function is_kept(lock, owner)
		return try('GET', lock) == owner .. '~'
	end

	local function is_ours(lock, owner)
		local value = try('GET', lock)
		return value == owner or value == owner .. '*' or value == owner .. '~'
	end

	-- Any other refusal than that of a key of another type says nothing.
	local function is_of_other_type(value)
		if type(value) == 'table' and value.err then
			if value.err:find('^WRONGTYPE') then
				return true
			end
			error(value.err, 0)
		end
		return false
	end

	local function no_lock(old, format)
		error(('ERR the old lock %s holds something else than a lock of %s, and is left alone'):format(old, format), 0)
	end

	-- A key that says who has it, and expires. "holder_of" returns who that is, or how Redis refused.
	local function owned(format, holder_of, is_held, take, tell)
		local this = { take = take }

		function this.busy(old, owner)
			local value = holder_of(old)
			if is_of_other_type(value) then
				no_lock(old, format)
			end
			if value and value ~= owner then
				return value, call('PTTL', old)
			end
		end

		function this.renew(old, owner, ttl)
			return is_held(old, owner) and call('PEXPIRE', old, ttl) == 1
		end

		function this.release(old, owner)
			local held = is_held(old, owner)
			if held then
				call('DEL', old)
				tell(old)
			end
			return held
		end

		return this
	end

	-- A string that holds who has it.
	local function plain(format, tell)
		local function holder_of(old)
			return try('GET', old)
		end

		local function is_held(old, owner)
			local value = holder_of(old)
			return not is_of_other_type(value) and value == owner
		end

		local function take(old, owner, ttl)
			call('SET', old, owner, 'PX', ttl)
		end

		return owned(format, holder_of, is_held, take, tell)
	end

	-- Where the key of the registry ends is not known: everything up to one of the first colons may be one,
	-- as others are part of the key of the lock. Older versions listen to a channel of the registry, later
	-- ones to one of the lock.
	local function tell_spring_integration(old)
		local colon, left = old:find(':', 1, true), 8
		while colon and left > 0 do
			left = left - 1
			local channel = old:sub(1, colon - 1) .. '-channel'
			try('PUBLISH', channel .. ':' .. old, old)
			try('PUBLISH', channel, old)
			colon = old:find(':', colon + 1, true)
		end
	end

	-- A hash with one field, which says who has it.
	local function redisson()
		local function holder_of(old)
			local fields = try('HKEYS', old)
			return fields.err and fields or fields[1]
		end

		local function is_held(old, owner)
			local found = try('HEXISTS', old, owner)
			return not is_of_other_type(found) and found == 1
		end

		local function take(old, owner, ttl)
			call('HSET', old, owner, 1)
			call('PEXPIRE', old, ttl)
		end

		local function tell(old)
			local tagged = old:find('{', 1, true) and old or '{' .. old .. '}'
			try('PUBLISH', 'redisson_lock__channel:' .. tagged, '0')
		end

		return owned('redisson', holder_of, is_held, take, tell)
	end

	-- A string that holds when it expires, by the clock of its holder, and no holder. Another key says
	-- what was written there with our lock, and so whether it was changed since; with a "?" behind it
	-- if somebody may have seen the lock before ours expire, and may write there without winning.
	local function getset(format, unit)
		local this = {}

		-- Returns the time that was written, and "?" or nothing.
		local function written(lock)
			local note = try('GET', notes[lock])
			if note and not is_of_other_type(note) then
				return note:match('^(%d+)(%??)$')
			end
		end

		local function millis()
			return math.floor(clock() / 1000)
		end

		local function is_over(value)
			return (tonumber(value) or 0) * unit + MARGIN <= millis()
		end

		function this.busy(old, owner, lock)
			local value = try('GET', old)
			local time = not is_of_other_type(value) and tonumber(value or 0)
			-- In another unit it would be long over, or never.
			if not time or (value and (time * unit < 1e11 or time * unit > 1e14)) then
				no_lock(old, format)
			end
			if value and value ~= written(lock) and not is_over(value) then
				return '', math.floor(time * unit + MARGIN - millis())
			end
		end

		-- Whether our lock has the old one, and whether nobody changed it.
		local function is_held(value, lock)
			local time, doubt = written(lock)
			local unchanged = value == time
			return unchanged or (doubt == '?' and not is_over(value)), unchanged
		end

		-- Ahead of all clocks.
		local function write(old, ttl, lock, doubt)
			local lifetime = ttl + MARGIN
			local time = ('%.0f'):format(math.ceil((millis() + lifetime) / unit))
			call('SET', notes[lock], time .. doubt, 'PX', lifetime)
			call('SET', old, time, 'PX', lifetime)
		end

		function this.take(old, owner, ttl, lock)
			local value = call('GET', old)
			local _, doubt = written(lock)
			if not value then
				doubt = ''
			elseif tonumber(value) * unit - MARGIN <= millis() then
				doubt = '?'
			end
			write(old, ttl, lock, doubt)
		end

		-- Who wrote here without winning is overwritten before that expires. Redis refuses no write for want
		-- of memory that follows one that needs none.
		function this.renew(old, owner, ttl, lock)
			local value = is_ours(lock, owner) and try('GET', old)
			if not value or is_of_other_type(value) or not is_held(value, lock) then
				return false
			end
			call('PEXPIRE', old, ttl + MARGIN)
			write(old, ttl, lock, '')
			return true
		end

		function this.release(old, owner, lock)
			if not is_ours(lock, owner) then
				return false
			end
			local value = try('GET', old)
			local held, unchanged
			if value and not is_of_other_type(value) then
				held, unchanged = is_held(value, lock)
			end
			call('DEL', notes[lock])
			if unchanged then
				call('DEL', old)
			end
			return held
		end

		return this
	end

	local function nobody()
	end

	local made = {}

	-- What a format needs is made when it is needed for the first time.
	local function format_of(name)
		local format = made[name]
		if not format then
			if name == 'redisson' then
				format = redisson()
			elseif name == 'getset-millis' then
				format = getset(name, 1)
			elseif name == 'getset-seconds' then
				format = getset(name, 1000)
			else
				format = plain(name, name == 'spring-integration' and tell_spring_integration or nobody)
			end
			made[name] = format
		end
		return format
	end

	-- Returns how the old lock of one of ours works, and its name; or nil if there is none.
	local function old_of(lock)
		local note = notes[lock]
		if note then
			return format_of(note:match('^old%-([%l-]+):', #tag + 1)), old_names[lock]
		end
	end

	-- Returns the reply for a lock whose old one somebody else has; nil if nobody has, or if one of us
	-- has both. The owner id has none of them then: it may have had ours, if it lost the old one since.
	-- Nobody tells us of a release of the old one: ask again soon, and not all at the same moment.
	local function old_busy(format, old, k, a)
		local lock, owner = keys[k], args[a + 1]
		local holder, remaining = format.busy(old, owner, lock)
		if not holder then
			return nil
		end
		if is_ours(lock, owner) then
			release_ours('', k, a)
		else
			local value = call('GET', lock)
			if value and value:sub(1, 1) ~= '!' then
				return nil
			end
		end
		local pause = 25 + clock() % 26
		return ('%.0f 0 0 %s'):format(remaining >= 0 and math.min(remaining, pause) or pause, holder)
	end

	-- Says that others wait, as others may: threads of one instance are not to have it for ever.
	local function acquire_both(flags, k, a)
		local lock, owner = keys[k], args[a + 1]
		local format, old = old_of(lock)
		local busy = format and old_busy(format, old, k, a)
		if busy then
			return busy
		end
		local first, acquired = acquire_ours(flags, k, a)
		if not format or not acquired then
			return first, acquired
		end
		local taken, failure = pcall(format.take, old, owner, math.max(call('PTTL', lock), args[a + 2]), lock)
		if not taken then
			pcall(format.release, old, owner, lock)
			call('DEL', lock)
			error(type(failure) == 'table' and failure.err or failure, 0)
		end
		return first > 0 and -first or first, true
	end

	local function release_both(flags, k, a)
		local lock, holder = keys[k], args[a + 1]
		local format, old = old_of(lock)
		local held = not format or format.release(old, holder, lock)
		local reply = release_ours(flags, k, a)
		return (held or reply ~= 1 or flags:find('+force', 1, true)) and reply or 0
	end

	local ours = uncommon()
	local renew_ours, more = ours.renew, ours.more()
	local acquire_all_ours, give_back_ours, keep_ours = more.acquire_all, more.give_back, more.keep

	local function give_back_both(lock, owner)
		local format, old = old_of(lock)
		local value = format and call('GET', lock)
		if value then
			format.release(old, (value:gsub('%*$', '')), lock)
		end
		give_back_ours(lock, owner)
	end

	local function acquire_all_both(flags, k, a, width)
		local size = tonumber(args[a + 1])
		local names = {}
		for i = 0, size - 1 do
			local format, old = old_of(keys[k + i * width])
			if format and names[old] then
				error('ERR two of the keys have the same old lock: ' .. old, 0)
			elseif format then
				names[old] = true
			end
			local busy = format and old_busy(format, old, k + i * width, a + 3 * i + 1)
			if busy then
				-- of an execution of this command before
				for j = 0, size - 1 do
					release_both('', k + j * width, a + 3 * j + 1)
				end
				return i + 1 .. ' ' .. busy
			end
		end
		return acquire_all_ours(flags, k, a, width)
	end

	-- A lock is held if both are.
	local function renew_both(flags, k, a, width)
		local size = tonumber(args[a + 1])
		for i = 0, size - 1 do
			local lock, owner, ttl = keys[k + i * width], args[a + 2 * i + 2], args[a + 2 * i + 3]
			local format, old = old_of(lock)
			if format and not is_kept(lock, owner) and not format.renew(old, owner, ttl, lock) then
				release_both('', k + i * width, a + 2 * i + 1)
			end
		end
		local held = renew_ours(flags, k, a, width)
		for i = 0, size - 1 do
			if held:sub(i + 1, i + 1) ~= '1' then
				local lock, owner = keys[k + i * width], args[a + 2 * i + 2]
				local format, old = old_of(lock)
				if format and not is_kept(lock, owner) then
					format.release(old, owner, lock)
				end
			end
		end
		return held
	end

	local function keep_both(flags, k, a)
		local lock, owner, ttl = keys[k], args[a + 1], args[a + 2]
		local format, old = old_of(lock)
		if format and not format.renew(old, owner, ttl, lock) then
			release_both('', k, a)
			return 0
		end
		local held = keep_ours(flags, k, a)
		if held ~= 1 and format then
			format.release(old, owner, lock)
		end
		return held
	end

	acquire, release = acquire_both, release_both
	ours.renew = renew_both
	more.acquire_all, more.give_back, more.keep = acquire_all_both, give_back_both, keep_both
end
