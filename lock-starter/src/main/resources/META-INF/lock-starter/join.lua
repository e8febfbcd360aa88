-- Lets a server of a quorum abstain that does not remember itself: it was started anew, perhaps from an
-- old snapshot. Runs before follow.lua, which lets it remember itself. Or one whose clock was set.
--
-- KEYS   the server key; the key that says that it abstains
-- ARGV   what identifies this server, or nothing if its clock was set; for how long to abstain in ms
-- Reply  1 if it abstains from now on, else 0
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return 0
end
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[2]) then
	-- Redis refuses no write for want of memory that follows one that needs none.
	redis.call('PEXPIRE', KEYS[2], ARGV[2])
	redis.call('SET', KEYS[2], 1, 'PX', ARGV[2])
end
return 1
