-- Executes commands for locks one after the other, each for itself: one that fails leaves the
-- others alone.
--
-- KEYS   of each command
-- ARGV   prefix of all names, how long to reserve a key for an instance in ms, how long to remember
--        a fence at least in ms; then the arguments of each command, beginning with its name
-- Reply  for each command one number or string; a string that begins with "!" says why the command
--        was refused, and then it had no effect
--
-- Takes a lock
--   KEYS   the lock, its fence, its queue
--   ARGV   "acquire" or "acquire-or-queue" (and joins the queue if the lock is busy), owner id,
--          ttl in ms, how many fencing tokens to reserve
--   Reply  a number, the first token: the owner id holds the lock now; negative if others wait
--          a string, the remaining ms (-1: does not expire), by how many ms the clock was set
--          back since the last acquisition (0: not, or not looked at) and the holder (empty if the
--          lock is reserved), with spaces between them: somebody else does
--
-- Gives a lock back, or up a place in its queue, and reserves it for the next instance that listens
--   KEYS   the lock, its queue
--   ARGV   "release", "release-and-queue" (and joins the queue) or "leave" (and leaves the queue),
--          what the lock must hold (owner id, or !instance if it is reserved)
--   Reply  1 if the lock held that, else 0
--
-- Sets the ttl of locks anew
--   KEYS   the locks
--   ARGV   "renew", how many locks, for each of them: owner id, ttl in ms
--   Reply  for each of them one digit: whether the owner id holds it
local prefix, reservation, retention = ARGV[1], ARGV[2], ARGV[3]
local QUEUE_TTL = 600000
-- by how many µs tokens never run ahead of a clock that is not set back
local NO_LEAD = 1000000
-- where the keys and the arguments of the next command are
local k, a = 1, 4
-- the server's clock in µs, read once and only if needed
local now

local function clock()
	if not now then
		local time = redis.call('TIME')
		now = time[1] * 1000000 + time[2]
	end
	return now
end

-- Remembers that tokens are used up to the last one, and answers with the last one before. A fence
-- that is ahead of the clock is remembered until the clock has caught up. A lock that cannot have
-- tokens is given back.
local function advance(lock, fence, last, ttl)
	local expiry = math.max(retention, ttl, math.ceil((last - now) / 1000) + 1000)
	local before = redis.pcall('SET', fence, last, 'PX', expiry, 'GET')
	if type(before) == 'table' then
		redis.call('DEL', lock)
		error(before.err, 0)
	end
	return before and tonumber(before) or 0
end

-- Looks only at locks that stay longer than was asked for now, so that an ordinary one that is busy
-- costs nothing more.
local function clock_set_back(fence, remaining, ttl)
	local last = remaining > tonumber(ttl) and tonumber(redis.pcall('GET', fence))
	return last and last - clock() > NO_LEAD and math.floor((last - clock()) / 1000) or 0
end

local function acquire(name)
	local lock, fence, queue = KEYS[k], KEYS[k + 1], KEYS[k + 2]
	local owner, ttl, tokens = ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
	k, a = k + 3, a + 4
	-- First of all, as it may be denied when nothing is done yet.
	local first = clock()
	if not redis.call('SET', lock, owner, 'NX', 'PX', ttl) then
		local holder, instance = redis.call('GET', lock), owner:match('^(.*):')
		if holder ~= owner and holder ~= '!' .. instance then
			local reserved = holder:sub(1, 1) == '!'
			if name == 'acquire-or-queue' then
				if redis.call('ZADD', queue, 'NX', first, instance) == 1 then
					redis.call('PEXPIRE', queue, QUEUE_TTL)
				end
				local holding = not reserved and holder:match('^(.*):')
				if holding then
					redis.pcall('PUBLISH', prefix .. ':signal:' .. holding, 'c' .. lock:sub(#prefix + 3, -2))
				end
			end
			local remaining = redis.call('PTTL', lock)
			return remaining .. ' ' .. clock_set_back(fence, remaining, ttl) .. ' ' .. (reserved and '' or holder)
		end
		redis.call('SET', lock, owner, 'PX', ttl)
	end
	local before = advance(lock, fence, first + tokens - 1, ttl)
	if before >= first then
		first = before + 1
		advance(lock, fence, first + tokens - 1, ttl)
	end
	local waiting = redis.pcall('ZCARD', queue)
	if waiting == 0 or type(waiting) ~= 'number' then
		return first
	end
	local left = redis.pcall('ZREM', queue, owner:match('^(.*):')) == 1
	return (left and waiting == 1) and first or -first
end

-- Without memory for it nobody queues, and everybody polls.
local function join_queue(queue, instance, since)
	if redis.pcall('ZADD', queue, 'NX', since, instance) == 1 then
		redis.call('PEXPIRE', queue, QUEUE_TTL)
	end
end

local function release(name)
	local lock, queue, holder = KEYS[k], KEYS[k + 1], ARGV[a + 1]
	k, a = k + 2, a + 2
	if name == 'leave' then
		redis.call('ZREM', queue, holder:sub(2))
	end
	local value = redis.pcall('GET', lock)
	if value ~= holder then
		if type(value) == 'table' and not value.err:find('^WRONGTYPE') then
			error(value.err, 0)
		end
		return 0
	end
	if name == 'release-and-queue' then
		join_queue(queue, holder:match('^(.*):'), clock())
	end
	while true do
		local head = redis.pcall('ZPOPMIN', queue)
		local candidate, since = head[1], head[2]
		if not candidate then
			break
		end
		local receivers = redis.pcall('PUBLISH', prefix .. ':signal:' .. candidate, 'r' .. lock:sub(#prefix + 3, -2))
		if type(receivers) == 'table' then
			join_queue(queue, candidate, since)
			break
		end
		if receivers > 0 then
			local reserved = redis.pcall('SET', lock, '!' .. candidate, 'PX', reservation)
			if not reserved.err then
				return 1
			end
			break
		end
	end
	redis.call('DEL', lock)
	return 1
end

local function renew()
	local locks, owners, size = k, a, ARGV[a + 1]
	k, a = k + size, a + 2 + 2 * size
	local held = {}
	for i = 1, size do
		local lock, owner, ttl = KEYS[locks + i - 1], ARGV[owners + 2 * i], ARGV[owners + 2 * i + 1]
		local holder = redis.pcall('GET', lock)
		if holder == owner then
			held[i] = redis.call('PEXPIRE', lock, ttl)
		elseif type(holder) == 'table' and not holder.err:find('^WRONGTYPE') then
			error(holder.err, 0)
		else
			held[i] = 0
		end
	end
	return table.concat(held)
end

local replies = {}
while ARGV[a] do
	local name, command = ARGV[a], release
	if name == 'acquire' or name == 'acquire-or-queue' then
		command = acquire
	elseif name == 'renew' then
		command = renew
	end
	local done, reply = pcall(command, name)
	replies[#replies + 1] = done and reply or '!' .. (type(reply) == 'table' and reply.err or tostring(reply))
end
return replies
