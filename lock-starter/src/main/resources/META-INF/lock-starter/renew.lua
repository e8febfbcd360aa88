-- Sets the ttl of locks anew.
--
-- KEYS   the locks
-- ARGV   for each of them: owner id, ttl in ms
-- Reply  for each of them: whether the owner id holds it (1 or 0)
local held = {}
for i, lock in ipairs(KEYS) do
	local owner, ttl = ARGV[2 * i - 1], ARGV[2 * i]
	local holder = redis.pcall('GET', lock)
	if holder == owner then
		held[i] = redis.call('PEXPIRE', lock, ttl)
	elseif type(holder) == 'table' and not holder.err:find('^WRONGTYPE') then
		return holder
	else
		held[i] = 0
	end
end
return held
