-- Makes what a server says of a lock one vote of several: a part of the script, between lock.lua and
-- commands.lua, on the servers of a quorum.
--
-- Uses     what lock.lua defines, and a constant that stands before this text: abstention (ms)
-- Defines  part: acquire, acquire_shared, command
--
-- A server that lost its memory may have granted a lock that is still held. It grants none until the
-- longest ttl has passed. Who connects to it finds out that it was restarted, see join.lua; a "server"
-- key that is gone says that all else is gone, too.
--
-- There are more commands:
--
-- raise: lets tokens follow those of another server
--   KEYS   the lock
--   ARGV   the name, owner id, the last token that was handed out
--   Reply  1 if the owner id holds the lock, or shares it, and all later tokens are larger; else 0
--
-- abandon: gives a lock back that the others did not grant, and reserves it for nobody; with -and-join
-- (the queue, at its end), or -and-join-shared (to share the lock)
--   KEYS   the lock
--   ARGV   the name, owner id
--   Reply  1 if the owner id held the lock, or shared it; else 0
do
	local tag = keys[1]:match('^{.-}')
	local lost_memory

	local function acquire_with_memory(name, k, a)
		if lost_memory == nil then
			local known = call('MGET', tag .. 'server', tag .. 'joining')
			if not known[1] then
				call('SET', tag .. 'joining', 1, 'PX', abstention)
				-- as clients read it: who connects later must not take this server for another one
				local info = call('INFO')
				call('SET', tag .. 'server', info:match('run_id:(%x+)') .. '-' .. info:match('master_replid:(%x+)'))
			end
			lost_memory = not known[1] or known[2]
		end
		if lost_memory then
			error(('ABSTAIN this server was started or lost its memory lately, and grants no locks for another %d ms')
				:format(call('PTTL', tag .. 'joining')), 0)
		end
		if name ~= 'acquire' and name:find('acquire-shared', 1, true) then
			return uncommon().shared().acquire(name, k, a)
		end
		return acquire(name, k, a)
	end

	local function raise_or_abandon(name, k, a)
		local lock, owner = keys[k], args[a + 1]
		local mode = name ~= 'raise' and name:match('^abandon%-and%-join(.*)')
		if mode then
			uncommon().join_queue(lock, (mode == '-shared' and '!' or '') .. owner:match('^(.*):'), clock(), try)
		end
		local value = try('GET', lock)
		local shared = value == '&' and uncommon().shared()
		if shared and name ~= 'raise' then
			return shared.leave(lock, owner, function() call('DEL', lock) end) and 1 or 0
		end
		if value ~= owner and value ~= owner .. '*' and value ~= '&' .. owner and not (shared and shared.is_reader(lock, owner)) then
			return 0
		end
		if name ~= 'raise' then
			call('DEL', lock)
			return 1
		end
		local last = tonumber(args[a + 2])
		if last > 9e15 then
			error('ERR no token can follow', 0)
		end
		next_token = math.max(next_token or first_token(), last + 1)
		-- if the fence cannot be written, the lock is given back
		return 1, true
	end

	local function command(name, a)
		if name == 'raise' then
			return raise_or_abandon, a + 3
		elseif name == 'abandon' or name == 'abandon-and-join' or name == 'abandon-and-join-shared' then
			return raise_or_abandon, a + 2
		end
	end

	part = { acquire = acquire_with_memory, acquire_shared = acquire_with_memory, command = command }
end
