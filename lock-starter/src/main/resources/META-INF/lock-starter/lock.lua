-- How a lock is acquired, renewed, kept and released. First part of the script that executes commands for
-- locks: constants, lock.lua, commands.lua. Each may use what those before it define. Another jar may add a part
-- between the two, see ScriptPart.
--
-- Uses     reservation (of a key for an instance, ms), term (for which a key is granted to an instance, ms; 0 if none is),
--          retention (of the fence, ms), leap (of tokens, µs), cluster (whether it is one): constants of the store,
--          which stand before this text when it is loaded
-- Defines  keys, args, call, try; commands_at, where the keys of commands begin;
--          declared, where in keys those locks are that their other keys follow, or nil; clock, first_token, next_token, remember,
--          joins;
--          acquire, release; uncommon, which returns renew and join_queue, with more() acquire_all, prolong, keep, leave and
--          give_back, and with shared() what is for locks that are shared; further, see there
--
-- What executes a command is called with its flags ("" if only its locks are named), the index of its first lock in keys, that
-- of its name in args, and how many keys each lock has. It returns the reply, and true if it acquired all of its locks. What
-- commands do is told in commands.lua.
--
-- A lock holds the owner id of its holder, with a "g" before its number if it was granted, followed by "*" once somebody else joined its queue, or by
-- "~" while it is kept without a holder; or "!" and the instance for which it is reserved. As long as there is no "*", a release need not
-- look at the queue: who joined it for an earlier holder asks again when that one's time is over.
-- A lock that is shared holds "&". Who shares it stands in the set of its readers, each with the ms up to which it holds the
-- lock; the lock and the set expire with the last. A reader "!" and the instance is a place that is reserved. As long as
-- there is only one reader, the lock holds "&" and its owner id, and a set is one of before: so it is renewed as one that is held alone. In the queue
-- "!" marks an instance that wants to share. The score says since when it waits, in µs, and by its last four bits
-- how many tokens it is granted with the lock: none if it is only woken, else 8, or twice as many for each step.
--
-- Each call makes anew what it passes here: a function costs as much as ten lines, and so does each
-- variable outside that it is the first to use. So there are few of both where all calls pass.
local keys, args, call, try = KEYS, ARGV, redis.call, redis.pcall
local commands_at, declared = args[1] == '' and 2 or 3, nil
-- what is read once and only if needed: the server's clock in µs, and the next token to hand out; and what a server that
-- votes does when it does not remember itself: returns by how much tokens leap then, and for how long to remember it
local now, next_token, joins
local acquire, release

local function clock()
	if not now then
		local time = call('TIME')
		now = time[1] * 1000000 + time[2]
	end
	return now
end

-- Tokens follow the last one before, of whatever lock, and the clock. Where that is forgotten they
-- leap, as they may have been ahead of the clock.
local function first_token()
	local last = call('GET', keys[1])
	if not last then
		return clock() + leap
	end
	local number = tonumber(last)
	-- Lua knows all integers only up to 2^53
	if not number or number > 9e15 then
		error('ERR no token can follow what the fence holds, which is left alone: ' .. last, 0)
	end
	return math.max(number + 1, clock())
end

-- Keeps in mind which tokens were handed out, until the clock has caught up. Returns why it cannot, if so.
local function remember()
	local expiry = math.max(retention, math.ceil((next_token - clock()) / 1000) + 1000)
	return try('SET', keys[1], next_token - 1, 'PX', expiry).err
end

-- What most calls do not need, made when it is needed for the first time: for locks that are not free, and renewals.
local rest

local function uncommon()
	if rest then
		return rest
	end
	-- In a cluster, messages stay on the node where the lock is. Redis 6.2 sends them to all nodes.
	local sharded = cluster and redis.REDIS_VERSION_NUM
	local publish = sharded and 'SPUBLISH' or 'PUBLISH'
	local tag = keys[1]:match('^{.-}')
	local try = try

	if cluster then
		-- While a slot moves to another node, a key that is missing here may be there, or may have to be
		-- made there: a command that needs it is tried again when the slot has moved.
		try = function(...)
			local reply = redis.pcall(...)
			if type(reply) == 'table' and reply.err and reply.err:find('non local key', 1, true) then
				error(reply.err, 0)
			end
			return reply
		end
	end

	-- Returns the queue of a lock (1), its readers (2), or from whom it was taken by force (3). Ends a command that has only the
	-- lock, before it did anything.
	local function beside(lock, distance)
		local at = declared and declared[lock]
		if not at then
			error('+', 0)
		end
		return keys[at + distance]
	end

	local function instance_of(owner)
		return owner:match('^(.*):')
	end

	local function tell(instance, kind, lock)
		-- After the hash tag comes "lock:", and the key.
		return try(publish, tag .. 'signal:' .. instance, kind .. lock:sub(#tag + 6))
	end

	local function is_held_by(owner, value)
		return value == owner or value == owner .. '*'
	end

	local function others_wait(lock)
		local waiting = try('ZCARD', beside(lock, 1))
		return type(waiting) == 'number' and waiting > 0
	end

	-- The score of who joins the queue now: to be granted the lock with so many tokens, or only to be woken if "tokens" is nil.
	local function place(tokens)
		local step = 0
		if tokens then
			local _, exponent = math.frexp(tokens)
			step = math.min(math.max(exponent - 3, 1), 11)
		end
		return clock() - clock() % 16 + step
	end

	-- An instance stands in the queue once, and keeps its place if it wants the lock in another mode now.
	local function join_queue(lock, member, since, call)
		local queue = beside(lock, 1)
		if call('ZADD', queue, 'NX', since, member) == 1 then
			local other = member:match('^!(.*)') or '!' .. member
			local score = try('ZSCORE', queue, other)
			if type(score) == 'string' then
				call('ZADD', queue, score, member)
				call('ZREM', queue, other)
			end
			call('PEXPIRE', queue, 600000)
		end
	end

	-- The only reader of a lock that is shared, "" if its readers are in the set; nil if it is not shared.
	local function only_reader(value)
		return type(value) == 'string' and value:match('^&(.*)') or nil
	end

	-- What fewer calls need, and what only locks that are shared do.
	local more, shared

	-- Leaves the queue of a lock that was acquired, and returns whether others wait.
	local function leave_queue(lock, owner, ttl)
		local instance = instance_of(owner)
		try('ZREM', beside(lock, 1), instance, '!' .. instance)
		local contended = others_wait(lock)
		if contended then
			call('SET', lock, owner .. '*', 'PX', ttl)
		end
		return contended
	end

	-- Stands in the queue of a lock that another has, marks the lock, and tells its holders.
	local function join(lock, value, member, score)
		join_queue(lock, member, score, call)
		if only_reader(value) then
			return shared().tell_readers(lock, value)
		end
		local holding, mark = value:match('^([^!].*):g?%d+(%*?)$')
		if holding then
			if mark == '' then
				call('SET', lock, value .. '*', 'XX', 'KEEPTTL')
			end
			tell(holding, 'c', lock)
		end
	end

	-- Looks for a clock that was set back only if the lock stays longer than was asked for now, so that an ordinary
	-- one that is busy costs nothing more. Tokens never run ahead of a clock that is not set back by as much as 20 s:
	-- they leap 15 s when a server takes over.
	local function busy(lock, value, ttl)
		local remaining = call('PTTL', lock)
		local lead = remaining > tonumber(ttl) and next_token - clock() or 0
		local set_back = lead > 20000000 and math.floor(lead / 1000) or 0
		local holder
		if value == '&' then
			holder = shared().first_reader(lock)
		else
			holder = value:match('^&?(.-)[*~]?$')
		end
		holder = holder:sub(1, 1) == '!' and '' or holder
		return ('%s %s %.0f %s'):format(remaining, set_back, next_token, holder)
	end

	-- Acquires a lock that is not free, if it is reserved for the instance, or if the command is
	-- repeated. Returns the reply for a lock that is busy, or nil and whether others wait.
	local function acquire_taken(lock, flags, owner, ttl, tokens)
		local value = call('GET', lock)
		local known = declared and declared[lock]
		-- A place to share the lock is of no use to who wants it alone now, and stands in the way.
		if value == '&' and shared().leave(lock, '!' .. instance_of(owner)) then
			value = call('GET', lock)
		end
		if value == '!' .. instance_of(owner) then
			-- The instance left the queue when the lock was reserved for it. That others wait harms nobody if they do not.
			local contended = not known or others_wait(lock)
			call('SET', lock, contended and owner .. '*' or owner, 'PX', ttl)
			return nil, contended
		end
		if not value or is_held_by(owner, value) then
			-- A repetition that comes late leaves the time alone that its holder was promised since.
			ttl = value and math.max(call('PTTL', lock), ttl) or ttl
			if not known then
				-- Who asks like this does not stand in the queue, and who does has marked the lock.
				call('SET', lock, value or owner, 'PX', ttl)
				return nil, value == owner .. '*'
			end
			call('SET', lock, owner, 'PX', ttl)
			return nil, leave_queue(lock, owner, ttl)
		end
		if flags:find('+join', 1, true) then
			join(lock, value, instance_of(owner), place(flags:find('+grant', 1, true) and tokens))
		end
		return busy(lock, value, ttl)
	end

	-- Acquires a lock that was free although instances may wait for it: it expired, and nobody passed it on then. Whoever would
	-- wait stands behind the first of them. Returns what acquire_taken does.
	local function acquire_left(lock, flags, owner, ttl, tokens)
		if flags:find('+join', 1, true) and more().pass_on_expired(lock, owner) then
			return acquire_taken(lock, flags, owner, ttl, tokens)
		end
		return nil, leave_queue(lock, owner, ttl)
	end

	-- Returns what to reply to an owner id that does not hold the lock. A key of another type is no lock, and
	-- nobody holds it. Any other refusal to read it says nothing. Who leaves the queue asks by the value of a
	-- reservation, which is never among those from whom a lock was taken.
	local function not_held(lock, owner, value)
		if type(value) == 'table' and not value.err:find('^WRONGTYPE') then
			error(value.err, 0)
		end
		local told_until = owner:sub(1, 1) ~= '!' and try('ZSCORE', beside(lock, 3), owner)
		return type(told_until) == 'string' and tonumber(told_until) > clock() / 1000 and 2 or 0
	end

	local function renew(flags, k, a, width)
		local held, again = {}, flags:find('+again', 1, true)
		for i = 1, args[a + 1] do
			local lock, owner, ttl = keys[k + (i - 1) * width], args[a + 2 * i], args[a + 2 * i + 1]
			local value = try('GET', lock)
			if is_held_by(owner, value) or value == '&' .. owner then
				held[i] = call('PEXPIRE', lock, again and math.max(call('PTTL', lock), ttl) or ttl)
			else
				-- The ttl of those before is set anew once more, which changes nothing.
				beside(lock, 3)
				local done, renewed = value ~= '&', false
				if not done then
					done, renewed = pcall(shared().renew, lock, owner, ttl, again)
					-- A replica refuses every write: the client is to go to the primary.
					if not done and (type(renewed) == 'table' and renewed.err or renewed):find('READONLY', 1, true) then
						error(renewed, 0)
					end
				end
				held[i] = not done and '?' or renewed and 1 or not_held(lock, owner, value)
			end
		end
		return table.concat(held)
	end

	local seldom

	more = function()
		if seldom then
			return seldom
		end

		local function keep(flags, k, a)
			local lock, owner, ttl = keys[k], args[a + 1], args[a + 2]
			local value = try('GET', lock)
			if not is_held_by(owner, value) and value ~= owner .. '~' then
				return not_held(lock, owner, value)
			end
			-- They were told for how long the holder would stay, and ask for how long the lock does.
			local waiting = value == owner .. '*' and try('ZRANGE', beside(lock, 1), 0, -1) or {}
			-- Redis refuses no write for want of memory that follows one that needs none.
			call('PEXPIRE', lock, ttl)
			call('SET', lock, owner .. '~', 'PX', ttl)
			for _, member in ipairs(waiting) do
				tell(member:match('^!?(.*)'), 'r', lock)
			end
			return 1
		end

		-- Acquires a lock anew that is renewed first: so nobody had it in between.
		local function prolong(flags, k, a)
			local held = rest.renew(flags, k, a, 1)
			if held ~= '1' then
				return held
			end
			local first, acquired = acquire('', k, a + 1)
			return acquired and first or '0', acquired
		end

		-- Undoes an acquisition of this call.
		local function give_back(lock, owner)
			local value = call('GET', lock)
			if only_reader(value) then
				shared().release('', lock, owner, value)
			else
				call('DEL', lock)
			end
		end

		-- Acquires all locks or none.
		local function acquire_all(flags, k, a, width)
			local size = tonumber(args[a + 1])
			next_token = next_token or first_token()
			for i = 0, size - 1 do
				local lock, owner, ttl = keys[k + i * width], args[a + 3 * i + 2], args[a + 3 * i + 3]
				local value = call('GET', lock)
				if value and not is_held_by(owner, value) and value ~= '!' .. instance_of(owner) then
					return i + 1 .. ' ' .. busy(lock, value, ttl)
				end
			end
			local tokens = {}
			for i = 0, size - 1 do
				local done, token, acquired = pcall(acquire, '', k + i * width, a + 3 * i + 1)
				if not acquired then
					for taken = 0, i - 1 do
						seldom.give_back(keys[k + taken * width], args[a + 3 * taken + 2])
					end
					error(done and 'ERR two of the locks are the same' or token, 0)
				end
				tokens[i + 1] = ('%.0f'):format(token)
			end
			return '=' .. table.concat(tokens, ' '), true
		end

		-- Who subscribes to patterns receives messages, too, and is nobody's waiter.
		local function is_heard(receivers, instance)
			if receivers == 0 or sharded then
				return receivers > 0
			end
			local subscribers = try('PUBSUB', 'NUMSUB', tag .. 'signal:' .. instance)
			return subscribers.err or subscribers[2] > 0
		end

		-- Grants a lock to an instance, if it waits for that. Returns what to tell it, or nil if it is to be woken: as
		-- the fence cannot be read or written, or as not one subscribes to its messages but several, perhaps copies of a
		-- process, or nobody may ask how many.
		local function grant(lock, candidate, since)
			local step = term > 0 and since % 16 or 0
			if step == 0 then
				return
			end
			local subscribers = try('PUBSUB', sharded and 'SHARDNUMSUB' or 'NUMSUB', tag .. 'signal:' .. candidate)
			if subscribers[2] ~= 1 then
				return
			end
			local known, first = pcall(first_token)
			if not known then
				return
			end
			local before = next_token
			first = before or first
			local size = 4 * 2 ^ step
			next_token = first + size
			if remember() then
				next_token = before
				return
			end
			local looked, contended = pcall(others_wait, lock)
			local mark = (contended or not looked) and '*' or ''
			if not try('SET', lock, ('%s:g%.0f%s'):format(candidate, first, mark), 'PX', term).err then
				return ('g%.0f %.0f%s '):format(first, size, mark)
			end
		end

		-- Grants a lock to the first in its queue that listens, or reserves it for that one, or deletes it. Whoever had it,
		-- alone or as a reader, is a reader no longer if others share it next.
		local function pass_on(lock)
			while true do
				local head = try('ZPOPMIN', beside(lock, 1))
				local candidate, since = head[1], head[2]
				if not candidate then
					break
				end
				local shares = candidate:sub(1, 1) == '!'
				local granted = not shares and grant(lock, candidate, since)
				local receivers = not shares and tell(candidate, granted or 'r', lock)
				if not receivers then
					local opened = shared().open(lock, candidate)
					if opened then
						return
					elseif opened == nil then
						join_queue(lock, candidate, since, try)
						break
					end
				elseif type(receivers) == 'table' then
					join_queue(lock, candidate, since, try)
					break
				elseif granted then
					return
				elseif is_heard(receivers, candidate) then
					local reserved = try('SET', lock, '!' .. candidate, 'PX', reservation)
					if not reserved.err then
						return
					end
					break
				end
			end
			call('DEL', lock)
		end

		-- Tells the instance of the holder, and remembers the owner id for as long as it may think that the lock is
		-- its own. Whoever may not forget the others has them go with the last.
		local function tell_forced(lock, owner)
			local instance = instance_of(owner)
			if instance then
				local remaining, forced = call('PTTL', lock), beside(lock, 3)
				-- of less than a millisecond; or of a lock that somebody made last for ever
				remaining = remaining >= 0 and math.max(remaining, 1) or 600000
				local millis = math.floor(clock() / 1000)
				try('ZREMRANGEBYSCORE', forced, '-inf', millis)
				try('ZADD', forced, millis + remaining, owner)
				local lasts = try('PTTL', forced)
				try('PEXPIRE', forced, type(lasts) == 'number' and math.max(lasts, remaining) or remaining)
				tell(instance, 'f' .. owner .. ' ', lock)
			end
		end

		-- Passes on a lock that expired, or was deleted, as nobody did then, if another instance is first in the queue than that of
		-- the owner id, which asks for it by itself. Returns whether one was. Not where nothing is granted, as on a server that
		-- votes: the others may have the lock, and instances would wake each other in vain without end.
		local function pass_on_expired(lock, owner)
			local first = term > 0 and try('ZRANGE', beside(lock, 1), 0, 0)[1]
			if not first or first:match('^!?(.*)$') == instance_of(owner) then
				return false
			end
			pass_on(lock)
			return true
		end

		-- Gives back a lock that others wait for, or might.
		local function release(flags, lock, holder, value, tokens)
			-- Ends a command that has only the lock before anything is done: all that follows may need more.
			beside(lock, 1)
			if only_reader(value) then
				return shared().release(flags, lock, holder, value)
			end
			if not value then
				pass_on_expired(lock, holder)
			end
			local by_force = flags:find('+force', 1, true)
			if not is_held_by(holder, value) and not (by_force and value == holder .. '~') then
				return not_held(lock, holder, value)
			end
			-- Without memory for it nobody queues, and everybody polls.
			if flags:find('+join', 1, true) then
				join_queue(lock, instance_of(holder), place(flags:find('+grant', 1, true) and tokens), try)
			elseif by_force then
				tell_forced(lock, holder)
			end
			pass_on(lock)
			return 1
		end

		local function leave(flags, k, a)
			local lock, instance = keys[k], args[a + 1]
			local reserved = '!' .. instance
			local value = try('GET', lock)
			call('ZREM', beside(lock, 1), instance, reserved)
			if only_reader(value) then
				return shared().leave_place(lock, reserved, value)
			elseif value ~= reserved then
				return not_held(lock, reserved, value)
			end
			pass_on(lock)
			return 1
		end

		seldom = {
			keep = keep, prolong = prolong, give_back = give_back, acquire_all = acquire_all, release = release, leave = leave,
			is_heard = is_heard, pass_on = pass_on, pass_on_expired = pass_on_expired, tell_forced = tell_forced
		}
		return seldom
	end

	local sharing

	shared = function()
		if sharing then
			return sharing
		end

		-- Neither the lock nor its readers outlast the last of them.
		local function expire(lock)
			local last = call('ZRANGE', beside(lock, 2), -1, -1, 'WITHSCORES')
			call('PEXPIREAT', lock, last[2])
			call('PEXPIREAT', beside(lock, 2), last[2])
		end

		local function clear(readers)
			call('ZREMRANGEBYSCORE', readers, '-inf', '+inf')
		end

		-- As PX counts: from the millisecond that has begun.
		local function in_ms(ttl)
			return math.floor(clock() / 1000) + ttl
		end

		local function is_reader(lock, reader)
			local held_until = call('ZSCORE', beside(lock, 2), reader)
			return held_until and tonumber(held_until) > clock() / 1000
		end

		-- Notes the only reader of a lock in the set, before others share it, too. Up to when he was promised it: by a clock that
		-- is read after what remains, as this call may have begun long ago. A lock that somebody made last for ever does not tell.
		local function gather(lock)
			local reader = only_reader(call('GET', lock)) or ''
			if reader ~= '' then
				local remaining, time = call('PTTL', lock), call('TIME')
				local readers = beside(lock, 2)
				local held_until = time[1] * 1000 + math.floor(time[2] / 1000) + (remaining >= 0 and remaining or retention)
				clear(readers)
				call('ZADD', readers, held_until, reader)
				call('PEXPIREAT', readers, held_until)
				call('SET', lock, '&', 'XX', 'KEEPTTL')
			end
		end

		-- By a command that a second reader needs: so a user who lacks the rights for that is told it before he shares a lock.
		-- For the same reason the set of readers before is cleared where there is only one.
		local function is_waited_for(lock)
			return #call('ZRANGE', beside(lock, 1), 0, 0) > 0
		end

		local function tell_readers(lock, value)
			local told = {}
			for _, reader in ipairs(value ~= '&' and { only_reader(value) } or try('ZRANGE', beside(lock, 2), 0, -1)) do
				local instance = instance_of(reader)
				if instance and not told[instance] then
					told[instance] = true
					tell(instance, 'c', lock)
				end
			end
		end

		-- Reserves a place for an instance that is to share a lock, if it listens. Returns nil if it cannot be told.
		local function reserve(lock, place)
			local receivers = tell(place:sub(2), 'r', lock)
			if type(receivers) == 'table' then
				return nil
			end
			return more().is_heard(receivers, place:sub(2))
					and type(try('ZADD', beside(lock, 2), in_ms(reservation), place)) == 'number'
		end

		-- Reserves places for all in the queue who want to share a lock, wherever they stand.
		local function admit(lock)
			local admitted = false
			for _, member in ipairs(try('ZRANGE', beside(lock, 1), 0, -1)) do
				if member:sub(1, 1) == '!' then
					local reserved = reserve(lock, member)
					if reserved ~= nil then
						try('ZREM', beside(lock, 1), member)
					end
					admitted = reserved or admitted
				end
			end
			return admitted
		end

		-- Lets all share a lock who want to, beside those who do.
		local function let_in(lock)
			gather(lock)
			if admit(lock) then
				expire(lock)
			end
		end

		-- Returns whether another instance is first in the queue and wants the lock alone. Who has been there for 10 s is
		-- woken: he may be gone, or may have forgotten it.
		local function is_reserved_alone(lock, instance)
			local queue = beside(lock, 1)
			local head = call('ZRANGE', queue, 0, 0, 'WITHSCORES')
			local first = head[1]
			if not first or first == instance or first:sub(1, 1) == '!' then
				return false
			end
			if clock() - head[2] > 10000000 then
				local receivers = tell(first, 'r', lock)
				if type(receivers) == 'number' and not more().is_heard(receivers, first) then
					call('ZREM', queue, first)
					return is_reserved_alone(lock, instance)
				end
			end
			return true
		end

		-- Lets all share a lock who want to, beginning with one that left the queue for it. Returns whether there is one, or nil if
		-- that one cannot be told.
		-- Whoever was there before has left, or had it before the lock was lost and others had it. They go behind the new
		-- places: while a slot moves, a set that is gone cannot be made anew.
		local function open(lock, first)
			local readers = beside(lock, 2)
			local before = try('ZRANGE', readers, 0, -1)
			local reserved = reserve(lock, first)
			if not (admit(lock) or reserved) then
				return reserved
			end
			for _, reader in ipairs(before) do
				if reader:sub(1, 1) ~= '!' then
					call('ZREM', readers, reader)
				end
			end
			if try('SET', lock, '&', 'PX', reservation).err then
				call('DEL', lock, readers)
			else
				expire(lock)
			end
			return true
		end

		local function acquire(flags, k, a)
			local lock, owner, ttl = keys[k], args[a + 1], args[a + 2]
			local leaves, joins_queue = flags:find('+leave', 1, true), flags:find('+join', 1, true)
			local first = next_token or first_token()
			next_token = first
			local instance = instance_of(owner)
			local reader = '!' .. instance
			local queue, readers = beside(lock, 1), beside(lock, 2)
			local value = call('GET', lock)
			if not value and leaves and joins_queue and more().pass_on_expired(lock, owner) then
				value = call('GET', lock)
			end
			local only = only_reader(value)
			local repeated = only == owner or only == '' and is_reader(lock, owner)
			local free = not value or value == reader or repeated
			if only and not free then
				-- Whoever comes while somebody waits for the lock alone stands behind him.
				free = only == '' and is_reader(lock, reader) or not is_reserved_alone(lock, instance)
			end
			if not free then
				if joins_queue then
					join(lock, value, reader, place())
				end
				return busy(lock, value, ttl)
			end
			local waited_for = is_waited_for(lock)
			if only == owner then
				-- A repetition that comes late leaves the time alone that its holder was promised since.
				call('PEXPIRE', lock, math.max(call('PTTL', lock), ttl))
			elseif not only then
				-- First of all, as it may be denied for want of memory; undone if the rest is not allowed.
				call('SET', lock, '&' .. owner, 'PX', ttl)
				local done, refusal = pcall(clear, readers)
				if not done then
					call('DEL', lock)
					error(refusal, 0)
				end
			else
				gather(lock)
				call('ZREMRANGEBYSCORE', readers, '-inf', math.floor(clock() / 1000))
				call('ZADD', readers, repeated and math.max(call('ZSCORE', readers, owner), in_ms(ttl)) or in_ms(ttl), owner)
				call('ZREM', readers, reader)
				expire(lock)
			end
			next_token = first + 1
			if waited_for then
				-- Granted all the same if this is refused, as it may be while the slot moves.
				local done, contended = pcall(function()
					if leaves then
						call('ZREM', queue, reader, instance)
					end
					if not is_reserved_alone(lock) then
						let_in(lock)
					end
					return others_wait(lock)
				end)
				waited_for = not done or contended
			end
			return waited_for and -first or first, true
		end

		local function renew(lock, owner, ttl, again)
			local readers = beside(lock, 2)
			-- One of these stays for longest of all others.
			local longest = call('ZRANGE', readers, -2, -1, 'WITHSCORES')
			local size = #longest
			local held_until, others_until = longest[size], longest[size - 2] or 0
			if longest[size - 1] ~= owner then
				held_until, others_until = call('ZSCORE', readers, owner), held_until
			end
			if not held_until or tonumber(held_until) <= clock() / 1000 then
				return false
			end
			local till = math.max(in_ms(ttl), again and held_until or 0)
			local last = math.max(till, others_until)
			-- Redis refuses no write for want of memory that follows one that needs none.
			call('PEXPIREAT', lock, last)
			if tonumber(others_until) <= clock() / 1000 then
				-- It is gone by now if this call takes longer than the ttl, and is not made anew then, for ever.
				local renewed = call('SET', lock, '&' .. owner, 'XX', 'KEEPTTL')
				call('DEL', readers)
				return renewed and true
			end
			call('PEXPIREAT', readers, last)
			call('ZADD', readers, 'XX', till, owner)
			return true
		end

		-- Returns the reader whose owner id is the smallest, as several servers should name the same one.
		local function first_reader(lock)
			local first = ''
			local found = try('ZRANGE', beside(lock, 2), 0, -1, 'WITHSCORES')
			for i = 1, #found, 2 do
				local reader = found[i]
				if reader:sub(1, 1) ~= '!' and (first == '' or reader < first) and tonumber(found[i + 1]) > clock() / 1000 then
					first = reader
				end
			end
			return first
		end

		-- Takes a reader, or a place, away; with the last one the lock is passed on, unless something else is to be done
		-- then. Returns whether there was one.
		local function leave(lock, reader, last)
			local readers = beside(lock, 2)
			call('ZREMRANGEBYSCORE', readers, '-inf', math.floor(clock() / 1000))
			if not call('ZSCORE', readers, reader) then
				return false
			end
			local others = call('ZCARD', readers) > 1
			if not others then
				last = last or more().pass_on
				last(lock)
			end
			call('ZREM', readers, reader)
			if others then
				expire(lock)
			end
			return true
		end

		local function release(flags, lock, holder, value)
			local only = value == '&' .. holder
			if flags:find('+force', 1, true) and (only or value == '&' and is_reader(lock, holder)) then
				more().tell_forced(lock, holder)
			end
			if only and not others_wait(lock) then
				call('DEL', lock)
				return 1
			elseif only then
				-- While the slot moves, nobody is taken from the queue then for whom there is no place.
				gather(lock)
			end
			return (only or value == '&') and leave(lock, holder) and 1 or not_held(lock, holder, value)
		end

		-- Gives back a place, of an instance that has left the queue. Others may have stood behind it.
		local function leave_place(lock, place, value)
			local left = value == '&' and leave(lock, place)
			if only_reader(call('GET', lock)) and others_wait(lock) and not is_reserved_alone(lock) then
				let_in(lock)
			end
			return left and 1 or 0
		end

		local function share(flags, k, a)
			local lock, owner, ttl = keys[k], args[a + 1], args[a + 2]
			local value = try('GET', lock)
			if value == '&' .. owner or value == '&' and is_reader(lock, owner) then
				return 1
			end
			if not is_held_by(owner, value) then
				return not_held(lock, owner, value)
			end
			local waited_for = is_waited_for(lock)
			-- Redis refuses no write for want of memory that follows one that needs none.
			clear(beside(lock, 2))
			call('SET', lock, '&' .. owner, 'PX', math.max(call('PTTL', lock), ttl))
			if waited_for then
				-- Nobody if that is refused, as it may be while the slot moves.
				pcall(let_in, lock)
			end
			return 1
		end

		sharing = {
			tell_readers = tell_readers, first_reader = first_reader, is_reader = is_reader, open = open, acquire = acquire,
			renew = renew, leave = leave, leave_place = leave_place, release = release, share = share
		}
		return sharing
	end

	rest = {
		join_queue = join_queue, place = place, acquire_left = acquire_left, acquire_taken = acquire_taken, renew = renew, more = more,
		shared = shared
	}
	return rest
end

acquire = function(flags, k, a)
	local lock, owner, ttl = keys[k], args[a + 1], args[a + 2]
	-- First of all, as it may be denied when nothing is done yet.
	local first = next_token or first_token()
	next_token = first
	local following = first + args[a + 3]
	local refusal, contended
	if call('SET', lock, owner, 'NX', 'PX', ttl) then
		if flags ~= '' and flags:find('+leave', 1, true) then
			refusal, contended = uncommon().acquire_left(lock, flags, owner, ttl, args[a + 3])
		end
	else
		refusal, contended = uncommon().acquire_taken(lock, flags, owner, ttl, args[a + 3])
	end
	if refusal then
		return refusal
	end
	next_token = following
	return contended and -first or first, true
end

release = function(flags, k, a)
	local lock, holder = keys[k], args[a + 1]
	local value = try('GET', lock)
	if value == holder and (flags == '' or flags == '+') then
		call('DEL', lock)
		return 1
	end
	return uncommon().more().release(flags, lock, holder, value, args[a + 2])
end

-- The commands of another part: by their names, what executes each. They are for one lock, and have an owner id and
-- another argument.
local further
