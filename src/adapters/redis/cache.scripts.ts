/**
 * Counts hits (or reverts some, never below 0). Returns the count and the remaining milliseconds of the window by the
 * server's clock. A counter without an expiry (new, or removed externally) gets one.
 */
export const HIT_SCRIPT = `
local by = tonumber(ARGV[2])
if by < 0 then
  local known = redis.call('GET', KEYS[1])
  if not known then return { 0, tonumber(ARGV[1]) } end
  by = math.max(by, 0 - tonumber(known))
end
local count = redis.call('INCRBY', KEYS[1], by)
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }`;
