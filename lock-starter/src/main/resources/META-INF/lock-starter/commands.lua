-- Executes commands for locks one after the other, each for itself: one that fails leaves the
-- others alone. Last part of the script, see lock.lua.
--
-- KEYS   the fence; the server key, if it is to be looked at; then those of each command, all with the same hash tag. No
--        other key is touched
-- ARGV   "ask" if the server may be another one than the one that handed out tokens last, "moved" if the client comes from another
--        one, or nothing if neither need be looked at. Then of each command, beginning with its name
-- Reply  for each command one number or string; a string that begins with "!" says why the command
--        was refused, and "+" that it needs all keys of its locks, and then it had no effect. One string more if the server
--        was to be looked at, and that failed. READONLY from a replica that was asked: then no command was executed. An error
--        if a command is unknown, which ends the call: what was acquired before it stays, and the fence does not know of it. No
--        client makes such a call, as it calls the script that came with it
--
-- A command may have its flags before its name. Then each lock is followed by its queue, its readers and those from whom it was
-- taken by force. Without flags there are the locks alone, which is enough for acquire, acquire-all, release and renew unless
-- others wait for a lock, share it or have it. Flags are one argument that begins with "+":
--
-- +leave  leaves the queue, if the lock is acquired
-- +join   stands in the queue: if the lock is busy, or, at its end, as the lock is released. With +leave, a lock that expired is
--         passed on first if another instance is first in the queue
-- +grant  with +join: a release may grant the lock there, with as many tokens as the command says, in place of reserving it
-- +force  releases the lock of somebody else, whose instance is told
-- +again  makes no ttl shorter, as a later renewal may have come before
--
-- acquire, with +leave, +join and +grant
--   KEYS   the lock
--   ARGV   the name, owner id, ttl in ms, how many fencing tokens to reserve
--   Reply  a number, the first token: the owner id holds the lock now; negative if others wait
--          a string, the remaining ms (-1: does not expire), by how many ms the clock was set
--          back since the last acquisition (0: not, or not looked at), a token that is larger than all that were handed
--          out, and the holder (empty if the lock is reserved), with spaces between them: somebody else does
--
-- acquire-shared, with +leave and +join: together with others who want to share the lock
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
-- release, with +join, +grant and +force: gives a lock back, and grants it to the next instance that listens, or reserves it, also
-- if it has expired
--   KEYS   the lock
--   ARGV   the name, owner id; with +grant the number of tokens
--   Reply  1 if the lock was held so; 2 if it was taken from the owner id by force; else 0
--
-- leave: leaves the queue, and gives back what is reserved
--   KEYS   the lock
--   ARGV   the name, the instance
--   Reply  1 if the lock was reserved, or a place to share it; else 0
--
-- renew, with +again: sets the ttl of locks anew
--   KEYS   the locks
--   ARGV   the name, how many locks, for each of them: owner id, ttl in ms
--   Reply  for each of them one digit: 1 if the owner id holds it, 2 if it was taken from it by force; else 0; or "?" if
--          that of one who shares it was refused; by a replica, the call is refused
--
-- keep: leaves a lock without a holder for a while; no other command finds it by that owner id then, but
-- this one and release with +force
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

-- the replies; and, of each command that acquired something, its number, its first lock and its last one, how many keys each
-- has, and the owner id, if it may share the lock
local replies, number, acquired = {}, 0, nil
-- where the keys and the arguments of the next command begin
local k, a = commands_at, 2
while args[a] do
	local name, flags, width, locks = args[a], '', 1, 1
	if name ~= 'acquire' and name ~= 'release' and name:sub(1, 1) == '+' then
		flags, width, a = name, 4, a + 1
		name = args[a]
	end
	-- what executes it, and how many arguments follow its name
	local handler, size
	if name == 'acquire' then
		handler, size = acquire, 3
	elseif name == 'release' then
		handler, size = release, flags:find('+grant', 1, true) and 2 or 1
	elseif name == 'renew' then
		locks = tonumber(args[a + 1])
		handler, size = uncommon().renew, 1 + 2 * locks
	elseif name == 'acquire-all' then
		locks = tonumber(args[a + 1])
		handler, size = uncommon().more().acquire_all, 1 + 3 * locks
	elseif name == 'acquire-shared' then
		handler, size = uncommon().shared().acquire, 3
	elseif name == 'share' then
		handler, size = uncommon().shared().share, 2
	elseif name == 'leave' then
		handler, size = uncommon().more().leave, 1
	elseif name == 'keep' then
		handler, size = uncommon().more().keep, 2
	elseif name == 'prolong' then
		handler, size = uncommon().more().prolong, 4
	else
		handler, size = further and further[name], 2
	end
	-- of a negative number of locks the call would never end
	if not handler or locks < 1 then
		return redis.error_reply(("ERR there is no command '%s' for %d locks"):format(tostring(name), locks))
	end
	local last = k + (locks - 1) * width
	if width == 4 then
		declared = declared or {}
		for i = k, last, width do
			declared[keys[i]] = i
		end
	end
	local done, reply, granted = pcall(handler, flags, k, a, width)
	if not done and reply ~= '+' then
		reply = '!' .. (type(reply) == 'table' and reply.err or tostring(reply))
	end
	number = number + 1
	replies[number] = reply
	if granted then
		acquired = acquired or {}
		acquired[#acquired + 1] = { number, k, last, width, args[a + 1] }
	end
	k, a = last + width, a + 1 + size
end

-- Nobody has a lock whose tokens the fence does not know of.
local refusal = acquired and remember()
if refusal then
	for _, each in ipairs(acquired) do
		local which, first, last, width, owner = unpack(each)
		for i = first, last, width do
			pcall(uncommon().more().give_back, keys[i], owner)
		end
		replies[which] = '!' .. refusal
	end
end
if obstacle then
	replies[number + 1] = obstacle
end
return replies
