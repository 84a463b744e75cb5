/**
 * Counts a hit and answers the count and the milliseconds that the window has left, by the server's clock. A counter
 * that has no end (it is new, or somebody took its end away) gets one now.
 */
export const HIT_SCRIPT = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }`;
