-- Executes commands for locks one after the other, each for itself: one that fails leaves the
-- others alone. Last part of the script, see lock.lua.
--
-- KEYS   the fence; the server key, if an id of the server's replication is given; then those of each command, all with the same
--        hash tag. No other key is touched
-- ARGV   the id of the server's replication when the client connected, which changes with each promotion; or
--        nothing, if that need not be looked at. Then of each command, beginning with its name
-- Reply  for each command one number or string; a string that begins with "!" says why the command
--        was refused, and "+" that it needs all keys of its locks, and then it had no effect. READONLY if the server
--        may have been a replica, or the locks elsewhere, since the client connected, or another error if a command
--        is unknown, or if keys or arguments are missing: then nothing was executed
--
-- Each lock is followed by its queue, its readers and those from whom it was taken by force; but for acquire, acquire-all,
-- release and renew, which have the locks alone, unless "+" stands before the name.
--
-- acquire, with -and-leave (the queue, if the lock is not busy) and -or-join (the queue, if it is), or -or-await (the same,
-- and a release may grant the lock there, with as many tokens)
--   KEYS   the lock
--   ARGV   the name, owner id, ttl in ms, how many fencing tokens to reserve
--   Reply  a number, the first token: the owner id holds the lock now; negative if others wait
--          a string, the remaining ms (-1: does not expire), by how many ms the clock was set
--          back since the last acquisition (0: not, or not looked at), a token that is larger than all that were handed
--          out, and the holder (empty if the lock is reserved), with spaces between them: somebody else does
--
-- acquire-shared, with -and-leave and -or-join as above: together with others who want to share the lock
--   KEYS   the lock
--   ARGV   as for acquire, with one token to reserve
--   Reply  as for acquire
--
-- share: goes on sharing a lock that the owner id holds alone; all who wait to share it are told
--   KEYS   the lock
--   ARGV   the name, owner id, ttl in ms
--   Reply  as for release
--
-- prolong: acquires a lock anew that the owner id holds alone, and no other
--   KEYS   the lock
--   ARGV   the name, 1, owner id, ttl in ms, how many fencing tokens to reserve
--   Reply  a number as for acquire, or the string that renew replies
--
-- acquire-all: all locks or none
--   KEYS   the locks
--   ARGV   the name, how many locks, for each of them: owner id, ttl in ms, number of tokens
--   Reply  a string, "=" and the first tokens: the owner ids hold the locks now
--          a string, the number of a lock that is busy, a space, and what acquire replies for it
--
-- release: gives a lock back, and grants it to the next instance that listens, or reserves it, also if it has expired; with -and-join
-- (the queue, at its end) or -and-await (the same, see acquire); with -by-force (of somebody else, whose instance is
-- told); or leave: leaves the queue, and gives back what is reserved
--   KEYS   the lock
--   ARGV   the name, owner id, or instance to leave; with -and-await the number of tokens
--   Reply  1 if the lock was held, or reserved, so; 2 if it was taken from the owner id by force; else 0
--
-- renew: sets the ttl of locks anew; with -again of none to less, as a later renewal may have come before
--   KEYS   the locks
--   ARGV   the name, how many locks, for each of them: owner id, ttl in ms
--   Reply  for each of them one digit: 1 if the owner id holds it, 2 if it was taken from it by force; else 0; or "?" if
--          that of one who shares it was refused; by a replica, the call is refused
--
-- keep: leaves a lock without a holder for a while; no other command finds it by that owner id then, but
-- this one and release-by-force
--   KEYS   the lock
--   ARGV   the name, owner id, ttl in ms
--   Reply  as release

-- A server that was a replica goes on with what it knew, and its tokens with those that others handed out
-- meanwhile. They leap when the client connects anew.
if args[1] ~= '' then
	local replication = try('INFO', 'replication')
	local reign = type(replication) == 'string' and replication:match('master_replid:(%x+)')
	if reign and reign ~= args[1] then
		return redis.error_reply('READONLY the id of the replication has changed since the client connected: this server may have been a replica')
	end
	-- Nor does a node of a cluster know which tokens others handed out while a slot was there: the one that took
	-- over from them last may not have received all of them. What follow.lua remembers moves with the slot.
	local server = reign and try('GET', keys[2])
	if type(server) == 'string' and server:sub(-#reign) ~= reign then
		return redis.error_reply('READONLY another server handed out tokens since the client connected: the locks have been there')
	end
end

local CHECK, EXECUTE, UNDO = 1, 2, 3
-- the replies; the numbers of the commands that acquired something; and why the fence does not know of that
local replies, acquired, refusal = {}, nil, nil
for step = CHECK, UNDO do
	local number = 0
	-- where the keys and the arguments of the next command begin
	local k, a = commands_at, 2
	local name, last = args[a], nil
	while name do
		local width = 1
		if name == '+' then
			width, a = 4, a + 1
			name = args[a]
		end
		-- what executes it, for how many locks, and where the next one begins
		local handler, after
		local locks = 1
		if name == 'acquire' then
			handler = acquire
			after = a + 4
		elseif name == 'release' then
			handler = release
			after = a + 2
		elseif name == 'renew' or name == 'renew-again' or name == 'acquire-all' then
			-- there are no keys enough for what is no number
			locks = tonumber(args[a + 1])
			locks = locks and locks >= 0 and locks % 1 == 0 and locks or math.huge
			if name == 'acquire-all' then
				handler = uncommon().more().acquire_all
				after = a + 2 + 3 * locks
			else
				handler = uncommon().renew
				after = a + 2 + 2 * locks
			end
		else
			width = 4
			if name == 'acquire-or-join' or name == 'acquire-and-leave' or name == 'acquire-and-leave-or-join'
					or name == 'acquire-or-await' or name == 'acquire-and-leave-or-await' then
				handler = acquire
				after = a + 4
			elseif name == 'acquire-shared' or name == 'acquire-shared-or-join'
					or name == 'acquire-shared-and-leave' or name == 'acquire-shared-and-leave-or-join' then
				handler = uncommon().shared().acquire
				after = a + 4
			elseif name == 'release-and-join' or name == 'release-by-force' or name == 'leave' then
				handler = release
				after = a + 2
			elseif name == 'release-and-await' then
				handler = release
				after = a + 3
			elseif name == 'keep' then
				handler = uncommon().more().keep
				after = a + 3
			elseif name == 'prolong' then
				handler = uncommon().more().prolong
				after = a + 5
			elseif name == 'share' then
				handler = uncommon().shared().share
				after = a + 3
			elseif further then
				handler = further[name]
				after = a + 3
			end
		end
		if step == CHECK then
			if not handler then
				return redis.error_reply(("ERR nothing was executed: there is no command '%s'"):format(tostring(name)))
			end
		else
			number = number + 1
			if step == EXECUTE then
				if width == 4 then
					declared = declared or {}
					for i = k, k + (locks - 1) * width, width do
						declared[keys[i]] = i
					end
				end
				local done, reply, granted = pcall(handler, name, k, a, width)
				if not done and reply ~= '+' then
					reply = '!' .. (type(reply) == 'table' and reply.err or tostring(reply))
				end
				replies[number] = reply
				if granted then
					acquired = acquired or {}
					acquired[number] = true
				end
			elseif acquired[number] then
				for i = k, k + (locks - 1) * width, width do
					pcall(uncommon().more().give_back, keys[i], args[a + 1])
				end
				replies[number] = '!' .. refusal
			end
		end
		k = k + locks * width
		a = after
		last = name
		name = args[a]
	end
	if step == CHECK then
		-- A command that has too few keys or arguments takes those of the next, so it is the last that lacks them.
		if not args[a - 1] or not keys[k - 1] or keys[k] then
			local missing = not args[a - 1] and 'too few arguments' or not keys[k - 1] and 'too few keys' or 'too many keys'
			return redis.error_reply(("ERR nothing was executed: '%s' has %s"):format(last or 'no command', missing))
		end
	elseif not acquired then
		break
	elseif step == EXECUTE then
		refusal = remember()
		if not refusal then
			break
		end
	end
end
return replies
