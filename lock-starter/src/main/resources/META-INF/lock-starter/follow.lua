-- Lets tokens leap ahead on a server that took over from another, such as a replica that was
-- promoted: whatever the other one, should it live on, still hands out for a while is smaller.
--
-- KEYS   the server key, which remembers where tokens were handed out last; the fence
-- ARGV   the run id of this server, "-" and the id of its replication, which changes with each promotion, as
--        they were when the client asked; how far to leap in µs; how long to remember in ms: the fence, the
--        server; "moved" if the client comes from another server, else nothing
-- Reply  1 if tokens leapt, else 0; the id of its replication now (empty if the user may not ask for it)
local server, fence, identity, leap, retention, memory = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
-- A server that was frozen while another one took over, and died, remembers itself.
local moved = ARGV[5] == 'moved'
local replication = redis.pcall('INFO', 'replication')
local reign = type(replication) == 'string' and replication:match('master_replid:(%x+)') or ''
if reign ~= '' then
	-- It may be a replica no longer, or once more a primary, since the client asked.
	identity = identity:gsub('%-[^-]*$', '-' .. reign)
end
local before = redis.call('GET', server)
local last = tonumber(redis.call('GET', fence) or 0)
-- Redis refuses no write for want of memory that follows one that needs none.
redis.call('PEXPIRE', server, memory)
-- What is not a token is for the first acquisition to complain about.
if (before == identity and not moved) or not last or last > 9e15 or (not before and last == 0) then
	redis.call('SET', server, identity, 'PX', memory)
	return { 0, reign }
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ahead = math.max(last, now + leap)
redis.call('SET', fence, ahead, 'PX', math.max(retention, math.ceil((ahead - now) / 1000) + 1000))
redis.call('SET', server, identity, 'PX', memory)
return { 1, reign }
