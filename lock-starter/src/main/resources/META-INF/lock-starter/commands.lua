-- Executes commands for locks one after the other, each for itself: one that fails leaves the
-- others alone. Last part of the script, see lock.lua.
--
-- KEYS   the fence; the server key, if it is to be looked at; then those of each command, all with the same hash tag. No
--        other key is touched
-- ARGV   "ask" if the server may be another one than the one that handed out tokens last, "moved" if the client comes from another
--        one, or nothing if neither need be looked at. Then of each command, beginning with its name
-- Reply  for each command one number or string; a string that begins with "!" says why the command
--        was refused, and "+" that it needs all keys of its locks, and then it had no effect. One string more if the server
--        was to be looked at, and that failed. READONLY from a replica that was asked, or another error if a command
--        is unknown, or if keys or arguments are missing: then no command was executed
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

-- why tokens cannot follow those of another server, if so
local obstacle
if args[1] ~= '' then
	-- The id changes with each promotion and each start of a server; that of a replica is that of its primary.
	local replication = try('INFO', 'replication')
	local reign = type(replication) == 'string' and replication:match('master_replid:(%x+)')
	if reign and replication:find('role:slave', 1, true) then
		return redis.error_reply('READONLY this server is a replica')
	end
	-- Tokens leap on a server that took over from another, such as a replica that was promoted, or a node that has the slot
	-- now: whatever the other one, should it live on, still hands out for a while is smaller. A server that was frozen while
	-- another one took over, and died, remembers itself: who comes from there says so. One that votes takes over from nobody.
	local followed, failure = pcall(function()
		if not reign then
			if joins then
				error('NOPERM a server that votes has to say whether it was started anew', 0)
			end
			return
		end
		local before = call('GET', keys[2])
		if before == reign and (joins or args[1] ~= 'moved') then
			return
		end
		-- for how long to remember the server, in ms
		local ahead, memory = leap, 2592000000
		if joins then
			ahead, memory = joins()
		end
		-- Where nothing is remembered the first token leaps, and what is no token is for that one to complain about.
		local last = tonumber(call('GET', keys[1]) or 0)
		if last and (before or last > 0) and last <= 9e15 then
			next_token = math.max(last, clock() + ahead) + 1
			local refusal = remember()
			next_token = nil
			if refusal then
				error(refusal, 0)
			end
		end
		call('SET', keys[2], reign, 'PX', memory)
	end)
	if not followed then
		obstacle = type(failure) == 'table' and failure.err or failure
		first_token = function()
			error(obstacle, 0)
		end
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
if obstacle then
	replies[#replies + 1] = obstacle
end
return replies
