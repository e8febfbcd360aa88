-- Lets tokens leap ahead on a server that took over from another, such as a replica that was
-- promoted: whatever the other one, should it live on, still hands out for a while is smaller.
--
-- KEYS   the server key, which remembers where tokens were handed out last; the fence
-- ARGV   what identifies this server, as long as it is a primary; how far to leap in µs; how long to
--        remember in ms: the fence, the server
-- Reply  1 if tokens leapt, else 0
local server, fence, identity, leap, retention, memory = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local before = redis.call('GET', server)
local last = tonumber(redis.call('GET', fence) or 0)
-- What is not a token is for the first acquisition to complain about.
if before == identity or not last or last > 9e15 or (not before and last == 0) then
	redis.call('SET', server, identity, 'PX', memory)
	return 0
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ahead = math.max(last, now + leap)
redis.call('SET', fence, ahead, 'PX', math.max(retention, math.ceil((ahead - now) / 1000) + 1000))
redis.call('SET', server, identity, 'PX', memory)
return 1
