-- Reads all that is known of a lock, in one step.
--
-- KEYS   the lock; its queue; the fence; its readers
-- ARGV   how many instances of the queue to return
-- Reply  what the lock holds (see lock.lua; empty if it is free; its readers, if there are several, stand behind "&", each
--        after a line feed); its remaining ms (-1: does not expire); what the fence holds; the instances in the
--        queue, each followed by the server's time in µs when it came
local value = redis.call('GET', KEYS[1]) or ''
local held = value
if value == '&' then
	local time = redis.call('TIME')
	local found = redis.call('ZRANGE', KEYS[4], 0, -1, 'WITHSCORES')
	held = '&\n'
	for i = 1, #found, 2 do
		if tonumber(found[i + 1]) > time[1] * 1000 + time[2] / 1000 then
			held = held .. found[i] .. '\n'
		end
	end
end
return {
	held,
	redis.call('PTTL', KEYS[1]),
	redis.call('GET', KEYS[3]) or '',
	redis.call('ZRANGE', KEYS[2], 0, ARGV[1] - 1, 'WITHSCORES')
}
