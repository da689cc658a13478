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

/** KEYS: records. Returns the time, and the records. */
export const readScript: Script = script(`
local answer = { now() }
for n, key in ipairs(KEYS) do answer[n + 1] = redis.call('GET', key) end
return answer`);

/**
 * Several swaps, one after the other. KEYS: own inbox; of each swap its record, and the inboxes to be filled. ARGV: the life
 * of an inbox; of each swap how many inboxes and channels it has, its run, whether there must be a record, the record, what
 * it becomes, its life, whether it was handled, what to send, and the channels. What goes to one channel is one message.
 * Returns the time; of each swap whether it was made, and the record if it was not.
 */
export const swapScript: Script = script(`
local key, arg = 2, 2
local answer, sent, channels = { now() }, {}, {}
while arg <= #ARGV do
  local inboxes, hints, run, hasRecord, from, to, life, handled, message = unpack(ARGV, arg, arg + 8)
  local value = redis.call('GET', KEYS[key])
  local swapped = value == (hasRecord == '1' and from)
  if swapped then
    redis.call('SET', KEYS[key], to, 'PX', life)
    if handled == '1' then redis.call('SREM', KEYS[1], run) end
    for n = key + 1, key + inboxes do
      redis.call('SADD', KEYS[n], run)
      redis.call('PEXPIRE', KEYS[n], ARGV[1])
    end
    for n = arg + 9, arg + 8 + hints do
      local channel = ARGV[n]
      if not sent[channel] then
        sent[channel] = {}
        channels[#channels + 1] = channel
      end
      table.insert(sent[channel], message)
    end
  end
  answer[#answer + 1] = swapped and 1 or 0
  answer[#answer + 1] = not swapped and value
  key = key + 1 + inboxes
  arg = arg + 9 + hints
end
for _, channel in ipairs(channels) do
  redis.call('PUBLISH', channel, '[' .. table.concat(sent[channel], ',') .. ']')
end
return answer`);

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
