-- Take ARGV[1] items from the stock, or none. Reply: what is left, or -1 if there are not enough.
local stock = KEYS[1]
local wanted = tonumber(ARGV[1])

if tonumber(redis.call('GET', stock) or '0') < wanted then
  return -1
end
return redis.call('DECRBY', stock, wanted)
