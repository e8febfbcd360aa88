-- Count an action, at most `limit` of them in any `window` (ms).
-- Reply: 0 if it was counted, else how long (ms) until there is room for one.
local actions = KEYS[1]
local limit = tonumber(ARGV[1])
local window = tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

redis.call('ZREMRANGEBYSCORE', actions, '-inf', now - window * 1000)
local count = redis.call('ZCARD', actions)
if count >= limit then
  local oldest = redis.call('ZRANGE', actions, 0, 0, 'WITHSCORES')
  return math.ceil((oldest[2] + window * 1000 - now) / 1000)
end
redis.call('ZADD', actions, now, string.format('%.0f-%d', now, count))
redis.call('PEXPIRE', actions, window)
return 0
