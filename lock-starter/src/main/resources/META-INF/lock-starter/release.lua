-- Gives a lock back, or up a place in its queue, and reserves it for the next instance that listens.
--
-- KEYS   the lock, its queue
-- ARGV   instance id, what the lock must hold (owner id, or !instance if reserved for it), place in
--        the queue (keep, join or leave), how long to reserve in ms, prefix of the instances'
--        channels, the application's name for the key
-- Reply  {1} if the lock held that, else {0}; an error: nothing has changed
local lock, queue = KEYS[1], KEYS[2]
local instance, holder, place, reservation, channels, key = unpack(ARGV)
local QUEUE_TTL = 600000

-- Without memory for it nobody queues, and everybody polls.
local function join_queue(who, since)
	if redis.pcall('ZADD', queue, 'NX', since, who) == 1 then
		redis.call('PEXPIRE', queue, QUEUE_TTL)
	end
end

if place == 'leave' then
	redis.call('ZREM', queue, instance)
end
local value = redis.pcall('GET', lock)
if value ~= holder then
	local failed = type(value) == 'table' and not value.err:find('^WRONGTYPE')
	return failed and value or {0}
end
if place == 'join' then
	local time = redis.call('TIME')
	join_queue(instance, string.format('%.0f', time[1] * 1000000 + time[2]))
end

while true do
	local head = redis.pcall('ZPOPMIN', queue)
	local candidate, since = head[1], head[2]
	if not candidate then
		break
	end
	local receivers = redis.pcall('PUBLISH', channels .. candidate, 'r' .. key)
	if type(receivers) == 'table' then
		join_queue(candidate, since)
		break
	end
	if receivers > 0 then
		local reserved = redis.pcall('SET', lock, '!' .. candidate, 'PX', reservation)
		if not reserved.err then
			return {1}
		end
		break
	end
end
redis.call('DEL', lock)
return {1}
