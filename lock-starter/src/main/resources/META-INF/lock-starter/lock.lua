-- Executes commands for locks one after the other, each for itself: one that fails leaves the
-- others alone. Constants of the store stand before this text when it is loaded: reservation (of a key for
-- an instance, ms), retention (of the fence, ms), leap (of tokens, µs), cluster (whether it is one), and votes
-- (whether what it says is one vote of several).
--
-- KEYS   the fence, then the locks of each command; other names follow from these, as all have the same hash tag
-- ARGV   the id of the server's replication when the client connected, which changes with each promotion; or
--        nothing, if that need not be looked at. Then of each command, beginning with its name
-- Reply  for each command one number or string; a string that begins with "!" says why the command
--        was refused, and then it had no effect. After them what the clock of the server showed, in µs,
--        if it votes. READONLY if the server may have been a replica since the client connected, and then nothing
--        was executed
--
-- A lock holds the owner id of its holder, followed by "*" once somebody else joined its queue, or by
-- "~" while it is kept without a holder; or "!" and the instance for which it is reserved. As long as there is no "*", a release need not
-- look at the queue: who joined it for an earlier holder asks again when that one's time is over.
--
-- acquire, with -or-join (the queue, if the lock is busy) and -and-leave (the queue, if it is not)
--   KEYS   the lock
--   ARGV   the name, owner id, ttl in ms, how many fencing tokens to reserve
--   Reply  a number, the first token: the owner id holds the lock now; negative if others wait
--          a string, the remaining ms (-1: does not expire), by how many ms the clock was set
--          back since the last acquisition (0: not, or not looked at) and the holder (empty if the
--          lock is reserved), with spaces between them: somebody else does
--
-- acquire-all: all locks or none
--   KEYS   the locks
--   ARGV   the name, how many locks, for each of them: owner id, ttl in ms, number of tokens
--   Reply  a string, "=" and the first tokens: the owner ids hold the locks now
--          a string, the number of a lock that is busy, a space, and what acquire replies for it
--
-- release: gives a lock back and reserves it for the next instance that listens; with -and-join
-- (the queue, at its end); with -by-force (of somebody else, whose instance is told); or leave:
-- leaves the queue, and gives back what is reserved
--   KEYS   the lock
--   ARGV   the name, owner id, or instance to leave
--   Reply  1 if the lock was held, or reserved, so; 2 if it was taken from the owner id by force; else 0
--
-- renew: sets the ttl of locks anew
--   KEYS   the locks
--   ARGV   the name, how many locks, for each of them: owner id, ttl in ms
--   Reply  for each of them one digit: 1 if the owner id holds it, 2 if it was taken from it by force; else 0
--
-- keep: leaves a lock without a holder for a while; no other command finds it by that owner id then, but
-- this one and release-by-force
--   KEYS   the lock
--   ARGV   the name, owner id, ttl in ms
--   Reply  as release
local keys, args, call, try = KEYS, ARGV, redis.call, redis.pcall
local fence = keys[1]
-- what is read once and only if needed: the server's clock in µs, and the next token to hand out
local now, next_token
-- the locks that were acquired with tokens that the fence does not know of yet, and their replies
local acquired, granted = {}, {}

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
	local last = call('GET', fence)
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

-- Undoes an acquisition of this call.
local function give_back(lock)
	call('DEL', lock)
end

-- Everything that most calls do not need, made when it is needed for the first time.
local rest

local function uncommon()
	if rest then
		return rest
	end
	rest = {}
	local QUEUE_TTL = 600000
	-- By how many µs tokens never run ahead of a clock that is not set back: they leap 15 s when a
	-- server takes over.
	local NO_LEAD = 20000000
	-- In a cluster, messages stay on the node where the lock is. Redis 6.2 sends them to all nodes.
	local sharded = cluster and redis.REDIS_VERSION_NUM
	local publish = sharded and 'SPUBLISH' or 'PUBLISH'
	local tag = fence:match('^{.-}')
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

	-- After the hash tag comes "lock:", or "queue:", and the key.
	local function key_of(lock)
		return lock:sub(#tag + 6)
	end

	local function queue_of(lock)
		return tag .. 'queue:' .. key_of(lock)
	end

	local function forced_of(owner)
		return tag .. 'forced:' .. owner
	end

	local function instance_of(owner)
		return owner:match('^(.*):')
	end

	local function channel_of(instance)
		return tag .. 'signal:' .. instance
	end

	-- Who subscribes to patterns receives messages, too, and is nobody's waiter.
	local function is_heard(receivers, channel)
		if receivers == 0 or sharded then
			return receivers > 0
		end
		local subscribers = try('PUBSUB', 'NUMSUB', channel)
		return subscribers.err or subscribers[2] > 0
	end

	-- Without memory for it nobody queues, and everybody polls.
	local function join_queue(queue, instance, since)
		if try('ZADD', queue, 'NX', since, instance) == 1 then
			call('PEXPIRE', queue, QUEUE_TTL)
		end
	end

	local function is_held_by(owner, value)
		return value == owner or value == owner .. '*'
	end

	local function is_kept_after(owner, value)
		return value == owner .. '~'
	end

	local function is_reserved_for(owner, value)
		return value == '!' .. instance_of(owner)
	end

	-- A key of another type is no lock, and nobody holds it. Any other refusal to read it says nothing.
	local function check_readable(value)
		if type(value) == 'table' and not value.err:find('^WRONGTYPE') then
			error(value.err, 0)
		end
	end

	local function others_wait(queue)
		local waiting = try('ZCARD', queue)
		return type(waiting) == 'number' and waiting > 0
	end

	-- Looks only at locks that stay longer than was asked for now, so that an ordinary one that is
	-- busy costs nothing more.
	local function clock_set_back(remaining, ttl)
		local lead = remaining > tonumber(ttl) and next_token - clock() or 0
		return lead > NO_LEAD and math.floor(lead / 1000) or 0
	end

	local function busy(lock, value, ttl)
		local remaining = call('PTTL', lock)
		local holder = value:sub(1, 1) == '!' and '' or value:gsub('[*~]$', '')
		return remaining .. ' ' .. clock_set_back(remaining, ttl) .. ' ' .. holder
	end

	-- Stands in the queue of a lock that another has, marks the lock, and tells its holder.
	local function join(lock, value, owner)
		local queue = queue_of(lock)
		if call('ZADD', queue, 'NX', clock(), instance_of(owner)) == 1 then
			call('PEXPIRE', queue, QUEUE_TTL)
		end
		local holding, mark = value:match('^([^!].*):%d+(%*?)$')
		if holding then
			if mark == '' then
				call('SET', lock, value .. '*', 'XX', 'KEEPTTL')
			end
			try(publish, channel_of(holding), 'c' .. key_of(lock))
		end
	end

	-- Leaves the queue of a lock that was acquired, and returns whether others wait.
	function rest.leave_queue(lock, owner, ttl)
		local queue = queue_of(lock)
		try('ZREM', queue, instance_of(owner))
		local contended = others_wait(queue)
		if contended then
			call('SET', lock, owner .. '*', 'PX', ttl)
		end
		return contended
	end

	-- Acquires a lock that is not free, if it is reserved for the instance, or if the command is
	-- repeated. Returns the reply for a lock that is busy, or nil and whether others wait.
	function rest.acquire_taken(lock, name, owner, ttl)
		local value = call('GET', lock)
		if is_reserved_for(owner, value) then
			-- The instance left the queue when the lock was reserved for it.
			local contended = others_wait(queue_of(lock))
			call('SET', lock, contended and owner .. '*' or owner, 'PX', ttl)
			return nil, contended
		end
		if not value or is_held_by(owner, value) then
			call('SET', lock, owner, 'PX', ttl)
			return nil, rest.leave_queue(lock, owner, ttl)
		end
		if name:find('-or-join', 1, true) then
			join(lock, value, owner)
		end
		return busy(lock, value, ttl)
	end

	-- The arguments from "first" on are those of the locks.
	function rest.acquire_all(locks, first, acquire)
		next_token = next_token or first_token()
		local a = first
		for i, lock in ipairs(locks) do
			local owner, ttl = args[a], args[a + 1]
			local value = call('GET', lock)
			if value and not is_held_by(owner, value) and not is_reserved_for(owner, value) then
				return i .. ' ' .. busy(lock, value, ttl)
			end
			a = a + 3
		end
		local tokens = {}
		a = first
		for i, lock in ipairs(locks) do
			local done, token = pcall(acquire, lock, 'acquire', args[a], args[a + 1], args[a + 2])
			if not done then
				for taken = 1, i - 1 do
					give_back(locks[taken])
				end
				error(token, 0)
			end
			tokens[i] = ('%.0f'):format(token)
			a = a + 3
		end
		return '=' .. table.concat(tokens, ' ')
	end

	-- Reserves a lock for the first in its queue that listens, or deletes it.
	local function pass_on(lock)
		local queue = queue_of(lock)
		while true do
			local head = try('ZPOPMIN', queue)
			local candidate, since = head[1], head[2]
			if not candidate then
				break
			end
			local channel = channel_of(candidate)
			local receivers = try(publish, channel, 'r' .. key_of(lock))
			if type(receivers) == 'table' then
				join_queue(queue, candidate, since)
				break
			end
			if is_heard(receivers, channel) then
				local reserved = try('SET', lock, '!' .. candidate, 'PX', reservation)
				if not reserved.err then
					return
				end
				break
			end
		end
		call('DEL', lock)
	end

	-- Tells the instance of the holder, and remembers it for as long as the holder may think that the
	-- lock is its own.
	local function tell_forced(lock, owner)
		local instance = instance_of(owner)
		if instance then
			local remaining = call('PTTL', lock)
			try('SET', forced_of(owner), 1, 'PX', remaining > 0 and remaining or QUEUE_TTL)
			try(publish, channel_of(instance), 'f' .. owner .. ' ' .. key_of(lock))
		end
	end

	-- Returns what to reply to an owner id that does not hold the lock.
	local function not_held(owner)
		return try('GET', forced_of(owner)) == '1' and 2 or 0
	end

	-- Gives back a lock that others wait for, or might.
	function rest.release(lock, name, holder, value)
		if name == 'leave' then
			call('ZREM', queue_of(lock), holder)
			holder = '!' .. holder
		end
		if not is_held_by(holder, value) and not (name == 'release-by-force' and is_kept_after(holder, value)) then
			check_readable(value)
			return name == 'leave' and 0 or not_held(holder)
		end
		if name == 'release-and-join' then
			join_queue(queue_of(lock), instance_of(holder), clock())
		elseif name == 'release-by-force' then
			tell_forced(lock, holder)
		end
		pass_on(lock)
		return 1
	end

	-- The arguments from "a" on are those of the locks.
	function rest.renew(locks, a)
		local held = {}
		for i, lock in ipairs(locks) do
			local owner, ttl = args[a], args[a + 1]
			local value = try('GET', lock)
			if is_held_by(owner, value) then
				held[i] = call('PEXPIRE', lock, ttl)
			else
				check_readable(value)
				held[i] = not_held(owner)
			end
			a = a + 2
		end
		return table.concat(held)
	end

	-- Redis refuses no write for want of memory that follows one that needs none.
	function rest.keep(lock, owner, ttl)
		local value = try('GET', lock)
		if not is_held_by(owner, value) and not is_kept_after(owner, value) then
			check_readable(value)
			return not_held(owner)
		end
		call('PEXPIRE', lock, ttl)
		call('SET', lock, owner .. '~', 'PX', ttl)
		return 1
	end

	return rest
end

local function acquire(lock, name, owner, ttl, count)
	-- First of all, as it may be denied when nothing is done yet.
	local first = next_token or first_token()
	next_token = first
	local contended
	if call('SET', lock, owner, 'NX', 'PX', ttl) then
		contended = name ~= 'acquire' and name:find('-and-leave', 1, true) and uncommon().leave_queue(lock, owner, ttl)
	else
		local refusal
		refusal, contended = uncommon().acquire_taken(lock, name, owner, ttl)
		if refusal then
			return refusal
		end
	end
	next_token = first + count
	acquired[#acquired + 1] = lock
	return contended and -first or first
end

local function release(lock, name, holder)
	local value = try('GET', lock)
	if value == holder and name == 'release' then
		call('DEL', lock)
		return 1
	end
	return uncommon().release(lock, name, holder, value)
end

-- old-locks.lua, if there are locks of other libraries to hold with ours

-- From here on nothing may fail outside of a pcall, as others of the commands may have been executed.

-- A server that was a replica goes on with what it knew, and its tokens with those that others handed out
-- meanwhile. They leap when the client connects anew.
if args[1] ~= '' then
	local replication = try('INFO', 'replication')
	local reign = type(replication) == 'string' and replication:match('master_replid:(%x+)')
	if reign and reign ~= args[1] then
		return redis.error_reply('READONLY the id of the replication has changed since the client connected: this server may have been a replica')
	end
end

local replies, count = {}, 0
-- where the keys and the arguments of the next command begin
local next_key, next_arg = 2, 2
local name = args[next_arg]
while name do
	local done, reply
	local before = #acquired
	if name == 'renew' or name == 'acquire-all' then
		local size = tonumber(args[next_arg + 1])
		local locks = {}
		for i = 1, size do
			locks[i] = keys[next_key + i - 1]
		end
		if name == 'renew' then
			done, reply = pcall(uncommon().renew, locks, next_arg + 2)
			next_arg = next_arg + 2 + 2 * size
		else
			done, reply = pcall(uncommon().acquire_all, locks, next_arg + 2, acquire)
			next_arg = next_arg + 2 + 3 * size
		end
		next_key = next_key + size
	elseif name == 'release' or name == 'release-and-join' or name == 'release-by-force' or name == 'leave' then
		done, reply = pcall(release, keys[next_key], name, args[next_arg + 1])
		next_key, next_arg = next_key + 1, next_arg + 2
	elseif name == 'keep' then
		done, reply = pcall(uncommon().keep, keys[next_key], args[next_arg + 1], args[next_arg + 2])
		next_key, next_arg = next_key + 1, next_arg + 3
	else
		done, reply = pcall(acquire, keys[next_key], name, args[next_arg + 1], args[next_arg + 2], args[next_arg + 3])
		next_key, next_arg = next_key + 1, next_arg + 4
	end
	count = count + 1
	if #acquired > before then
		granted[#granted + 1] = count
	end
	replies[count] = done and reply or '!' .. (type(reply) == 'table' and reply.err or tostring(reply))
	name = args[next_arg]
end
if #acquired > 0 then
	-- remembered until the clock has caught up
	local expiry = math.max(retention, math.ceil((next_token - now) / 1000) + 1000)
	local written = try('SET', fence, next_token - 1, 'PX', expiry)
	if written.err then
		for _, lock in ipairs(acquired) do
			pcall(give_back, lock)
		end
		for _, reply in ipairs(granted) do
			replies[reply] = '!' .. written.err
		end
	end
end
if votes then
	local told, shown = pcall(clock)
	replies[#replies + 1] = told and shown or nil
end
return replies
