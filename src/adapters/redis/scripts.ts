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
return { now(), redis.call('MGET', unpack(KEYS)) }`);

/**
 * Several swaps, one after the other. KEYS: own inbox; of each swap its record, and the inboxes to be filled. ARGV: the life
 * of an inbox; of each swap how many inboxes and channels it has, its run, whether there must be a record, the record, what
 * it becomes, its life, whether it was handled, what to send, and the channels. What is of one kind is one command, and what
 * goes to one channel one message: a run that one swap takes out of an inbox and another puts in is in it.
 * Returns the time; of each swap whether it was made, and the record if it was not.
 */
export const swapScript: Script = script(`
local records, at = {}, {}
local key, arg = 2, 2
while arg <= #ARGV do
  at[#at + 1] = { key, arg }
  records[#records + 1] = KEYS[key]
  key = key + 1 + ARGV[arg]
  arg = arg + 9 + ARGV[arg + 1]
end
local values = {}
for n, value in ipairs(redis.call('MGET', unpack(records))) do values[records[n]] = value end
local function group()
  local names, items = {}, {}
  return names, items, function(name, item)
    if not items[name] then
      items[name] = {}
      names[#names + 1] = name
    end
    table.insert(items[name], item)
  end
end
local inboxes, listed, list = group()
local channels, sent, send = group()
local done, answer = {}, { now() }
for n, record in ipairs(records) do
  local key, arg = unpack(at[n])
  local filled, hints, run, hasRecord, from, to, life, handled, message = unpack(ARGV, arg, arg + 8)
  local value = values[record]
  local swapped = value == (hasRecord == '1' and from)
  if swapped then
    redis.call('SET', record, to, 'PX', life)
    values[record] = to
    if handled == '1' then done[#done + 1] = run end
    for k = key + 1, key + filled do list(KEYS[k], run) end
    for k = arg + 9, arg + 8 + hints do send(ARGV[k], message) end
  end
  answer[#answer + 1] = swapped and 1 or 0
  answer[#answer + 1] = not swapped and value
end
if #done > 0 then redis.call('SREM', KEYS[1], unpack(done)) end
for _, inbox in ipairs(inboxes) do
  redis.call('SADD', inbox, unpack(listed[inbox]))
  redis.call('PEXPIRE', inbox, ARGV[1])
end
for _, channel in ipairs(channels) do
  redis.call('PUBLISH', channel, '[' .. table.concat(sent[channel], ',') .. ']')
end
return answer`);

/**
 * KEYS: lease, own inbox. ARGV: the life of the lease, its mark, the prefix of records. Returns the mark that there was, the
 * time, and runs with their records.
 */
export const pullScript: Script = script(`
local answer = { redis.call('GET', KEYS[1]), now() }
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
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
