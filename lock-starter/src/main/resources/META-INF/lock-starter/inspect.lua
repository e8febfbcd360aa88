-- Reads all that is known of a lock, in one step. First part of a script: inspect.lua, inspect-old-locks.lua if a
-- lock of another library is held with it, and "return reply".
--
-- KEYS   the lock; its queue; the fence
-- ARGV   how many instances of the queue to return
-- Reply  what the lock holds (see lock.lua; empty if it is free; "&" and its readers, each after a line feed); its remaining ms (-1: does not expire);
--        what the fence holds; the instances in the queue, each followed by the server's time in µs when it came
local value = redis.call('GET', KEYS[1]) or ''
local held = value
if value == '&' then
	held = '&\n' .. table.concat(redis.call('ZRANGE', (KEYS[1]:gsub('^({.-})lock:', '%1readers:')), 0, -1), '\n')
end
local reply = {
	held,
	redis.call('PTTL', KEYS[1]),
	redis.call('GET', KEYS[3]) or '',
	redis.call('ZRANGE', KEYS[2], 0, ARGV[1] - 1, 'WITHSCORES')
}
