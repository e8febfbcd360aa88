-- Makes what a server says of a lock one vote of several: a part of the script, between lock.lua and
-- commands.lua, on the servers of a quorum.
--
-- Uses     what lock.lua defines, and a constant that stands before this text: abstention (ms). In KEYS, the fence is followed by
--          the server key and the one that says that the server abstains
-- Defines  further, joins; first_token and commands_at anew
--
-- A server that lost its memory may have granted a lock that is still held. It hands out no tokens, and so grants
-- none, until the longest ttl has passed. Whoever connects to it finds out that it was started anew, perhaps from an old snapshot;
-- a "server" key that is gone says that all else is gone, too.
--
-- There are more commands:
--
-- raise: lets tokens follow those of another server
--   KEYS   the lock
--   ARGV   the name, owner id, the last token that was handed out
--   Reply  1 if the owner id holds the lock, or shares it, and all later tokens are larger; else 0
--
-- abandon: gives a lock back that the others did not grant, and reserves it for nobody
--   KEYS   the lock
--   ARGV   the name, owner id, how to join the queue, at its end: "alone", "shared" or "" for not at all
--   Reply  1 if the owner id held the lock, or shared it; else 0
do
	local server, joining = keys[2], keys[3]
	local next_of_memory = first_token
	commands_at = 4
	local lost_memory

	-- Tokens leap as if the server forgot when it votes again: others may have leapt a moment before, by a faster clock. It is
	-- remembered for ever, as connections may last.
	joins = function()
		if call('PTTL', joining) < abstention then
			call('SET', joining, 1, 'PX', abstention)
		end
		return leap + abstention * 1000, 3153600000000
	end

	first_token = function()
		if lost_memory == nil then
			local known = call('MGET', server, joining)
			if not known[1] then
				joins()
				call('SET', server, call('INFO', 'replication'):match('master_replid:(%x+)'))
			end
			lost_memory = not known[1] or known[2]
		end
		if lost_memory then
			error(('LOADING this server was started or lost its memory lately, and grants no locks for another %d ms')
				:format(call('PTTL', joining)), 0)
		end
		return next_of_memory()
	end

	-- Returns whether the owner id has a lock, and what is for locks that are shared if it is.
	local function has(lock, owner)
		local value = try('GET', lock)
		local shared = value == '&' and uncommon().shared()
		return value == owner or value == owner .. '*' or value == '&' .. owner or shared and shared.is_reader(lock, owner), shared
	end

	local function raise(flags, k, a)
		if not has(keys[k], args[a + 1]) then
			return 0
		end
		local last = tonumber(args[a + 2])
		if last > 9e15 then
			error('ERR no token can follow', 0)
		end
		next_token = math.max(next_token or first_token(), last + 1)
		-- if the fence cannot be written, the lock is given back
		return 1, true
	end

	local function abandon(flags, k, a)
		local lock, owner, mode = keys[k], args[a + 1], args[a + 2]
		if mode ~= '' then
			uncommon().join_queue(lock, (mode == 'shared' and '!' or '') .. owner:match('^(.*):'), uncommon().place(), try)
		end
		local held, shared = has(lock, owner)
		if shared then
			return shared.leave(lock, owner, function() call('DEL', lock) end) and 1 or 0
		elseif held then
			call('DEL', lock)
		end
		return held and 1 or 0
	end

	further = { raise = raise, abandon = abandon }
end
