-- Lets a server of a quorum abstain that does not remember itself: it was started anew, perhaps from an
-- old snapshot. Runs before follow.lua, which lets it remember itself.
--
-- KEYS   the server key; the key that says that it abstains
-- ARGV   what identifies this server; for how long to abstain in ms
if redis.call('GET', KEYS[1]) ~= ARGV[1] and redis.call('PTTL', KEYS[2]) < tonumber(ARGV[2]) then
	-- Redis refuses no write for want of memory that follows one that needs none.
	redis.call('PEXPIRE', KEYS[2], ARGV[2])
	redis.call('SET', KEYS[2], 1, 'PX', ARGV[2])
end
