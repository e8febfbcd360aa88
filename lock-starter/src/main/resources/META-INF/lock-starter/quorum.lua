-- Makes what a server says of a lock one vote of several. Stands inside of lock.lua, before it looks at its
-- arguments, on the servers of a quorum; then a constant stands before this text: abstention (ms).
--
-- A server that lost its memory may have granted a lock that is still held. It grants none until the
-- longest ttl has passed. Who connects to it finds out that it was restarted, see join.lua; a "server"
-- key that is gone says that all else is gone, too.
--
-- raise: lets tokens follow those of another server
--   KEYS   the lock
--   ARGV   the name, owner id, the last token that was handed out, 0
--   Reply  1 if the owner id holds the lock, and all later tokens are larger; else 0
--
-- abandon: gives a lock back that the others did not grant, and reserves it for nobody; with -and-join
-- (the queue, at its end)
--   KEYS   the lock
--   ARGV   the name, owner id, 0, 0
--   Reply  1 if the owner id held the lock; else 0
do
	local tag = fence:match('^{.-}')
	local grant = acquire
	local lost_memory

	local function check_memory()
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
	end

	local function is_held_by(owner, lock)
		local value = try('GET', lock)
		return value == owner or value == owner .. '*'
	end

	local function raise(lock, owner, last)
		if not is_held_by(owner, lock) then
			return 0
		end
		if last > 9e15 then
			error('ERR no token can follow', 0)
		end
		next_token = math.max(next_token or first_token(), last + 1)
		-- if the fence cannot be written, the lock is given back
		acquired[#acquired + 1] = lock
		return 1
	end

	local function abandon(lock, name, owner)
		if name == 'abandon-and-join' then
			local queue = tag .. 'queue:' .. lock:sub(#tag + 6)
			if try('ZADD', queue, 'NX', clock(), owner:match('^(.*):')) == 1 then
				call('PEXPIRE', queue, 600000)
			end
		end
		if not is_held_by(owner, lock) then
			return 0
		end
		call('DEL', lock)
		return 1
	end

	function acquire(lock, name, owner, ttl, count)
		if name == 'raise' then
			return raise(lock, owner, tonumber(ttl))
		elseif name == 'abandon' or name == 'abandon-and-join' then
			return abandon(lock, name, owner)
		end
		check_memory()
		return grant(lock, name, owner, ttl, count)
	end
end
