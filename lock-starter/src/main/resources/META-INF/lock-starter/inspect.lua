-- Reads all that is known of a lock, in one step.
--
-- KEYS   the lock; its queue; the fence
-- ARGV   how many instances of the queue to return
-- Reply  what the lock holds (see lock.lua; empty if it is free); its remaining ms (-1: does not expire);
--        what the fence holds; the instances in the queue, each followed by the server's time in µs when it came
local lock, queue, fence, most = KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1])
return {
	redis.call('GET', lock) or '',
	redis.call('PTTL', lock),
	redis.call('GET', fence) or '',
	redis.call('ZRANGE', queue, 0, most - 1, 'WITHSCORES')
}
