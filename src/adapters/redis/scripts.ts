/**
 * The operations of the port as scripts, which the engine runs one at a time: what belongs together happens together.
 *
 * Invariants: times are the engine's; every key has a time after which it is gone; all keys of a namespace share one hash
 * tag, so that a cluster keeps them in one place.
 *
 * @module
 */
import { nodeModule } from '../internal/node-module.ts';

/** One script and the name by which the engine keeps it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

function script(body: string): Script {
  const text = `local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end\n${body}`;
  let sha1: string | undefined;
  return {
    text,
    // Made when it is asked for: opening the door needs nothing of Node.
    get sha1() {
      return (sha1 ??= nodeModule('node:crypto').createHash('sha1').update(text).digest('hex'));
    },
  };
}

/** KEYS: record. Returns the record, and the time. */
export const readScript: Script = script(`return { redis.call('GET', KEYS[1]), now() }`);

/**
 * KEYS: record, own inbox, inboxes to be filled. ARGV: run, whether there must be a record, the record, what it becomes,
 * its life, whether it was handled, the life of an inbox, what to send, and where.
 */
export const swapScript: Script = script(`
local value = redis.call('GET', KEYS[1])
local expected = ARGV[2] == '1' and ARGV[3]
if value ~= expected then return { 0, value, now() } end
redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
if ARGV[6] == '1' then redis.call('SREM', KEYS[2], ARGV[1]) end
for n = 3, #KEYS do
  redis.call('SADD', KEYS[n], ARGV[1])
  redis.call('PEXPIRE', KEYS[n], ARGV[7])
end
for n = 9, #ARGV do redis.call('PUBLISH', ARGV[n], ARGV[8]) end
return { 1, ARGV[4], now() }`);

/**
 * KEYS: lease, own inbox. ARGV: the life of the lease, its name if it is new, the prefix of records. Returns the name, the
 * time, and runs with their records.
 */
export const pullScript: Script = script(`
local lease = redis.call('GET', KEYS[1]) or ARGV[2]
redis.call('SET', KEYS[1], lease, 'PX', ARGV[1])
local answer = { lease, now() }
for _, run in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  local value = redis.call('GET', ARGV[3] .. run)
  if value then
    answer[#answer + 1] = run
    answer[#answer + 1] = value
  else
    redis.call('SREM', KEYS[2], run)
  end
end
return answer`);

/** KEYS: records. ARGV: their life from now on. Returns the records. */
export const renewScript: Script = script(`
local answer = {}
for n, key in ipairs(KEYS) do
  answer[n] = redis.call('GET', key)
  if answer[n] then redis.call('PEXPIRE', key, ARGV[1]) end
end
return answer`);
