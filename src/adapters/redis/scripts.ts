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

/** `list(key, records, answer)` adds to the answer the runs of an inbox or of a group with their records; the rest is dropped. */
const SHARED = `
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local function list(key, records, answer)
  for _, run in ipairs(redis.call('SMEMBERS', key)) do
    local value = redis.call('GET', records .. run)
    if value then
      answer[#answer + 1] = run
      answer[#answer + 1] = value
    else
      redis.call('SREM', key, run)
    end
  end
  return answer
end`;

function script(body: string): Script {
  const text = `${SHARED.trim()}${body}`;
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
 * Several swaps, one after the other. KEYS: own inbox; of each swap its record, the inboxes and groups to be filled, and the
 * groups to be left. ARGV: the life of an inbox, the prefix of records; of each swap how many inboxes, groups, groups to be left
 * and channels it has, its run, whether there must be a record, the record, what it becomes, its life, whether it was handled,
 * what to send, and the channels. What is of one kind is one command, and what goes to one channel one message: a run that one
 * swap takes out of an inbox or a group and another puts in is in it. Nobody may ever ask for what a group lists, so each time
 * that it grows, two of its runs are looked at, and leave it if they have no record any more.
 * Returns the time if one was not made; of each swap whether it was made, and the record if it was not.
 */
export const swapScript: Script = script(`
local records, at = {}, {}
local key, arg = 2, 3
while arg <= #ARGV do
  at[#at + 1] = { key, arg }
  records[#records + 1] = KEYS[key]
  key = key + 1 + ARGV[arg] + ARGV[arg + 1] + ARGV[arg + 2]
  arg = arg + 11 + ARGV[arg + 3]
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
local inboxes, listed, fill = group()
local channels, sent, send = group()
local done, grown, answer = {}, {}, { false }
for n, record in ipairs(records) do
  local key, arg = unpack(at[n])
  local filled, joined, left, hints, run, hasRecord, from, to, life, handled, message = unpack(ARGV, arg, arg + 10)
  local value = values[record]
  local swapped = value == (hasRecord == '1' and from)
  if swapped then
    redis.call('SET', record, to, 'PX', life)
    values[record] = to
    if handled == '1' then done[#done + 1] = run end
    for k = key + 1, key + filled + joined do fill(KEYS[k], run) end
    key = key + filled
    for k = key + 1, key + joined do grown[KEYS[k]] = true end
    key = key + joined
    for k = key + 1, key + left do redis.call('SREM', KEYS[k], run) end
    for k = arg + 11, arg + 10 + hints do send(ARGV[k], message) end
  end
  answer[#answer + 1] = swapped and 1 or 0
  answer[#answer + 1] = not swapped and value
  answer[1] = answer[1] or not swapped and now()
end
if #done > 0 then redis.call('SREM', KEYS[1], unpack(done)) end
for _, inbox in ipairs(inboxes) do
  redis.call('SADD', inbox, unpack(listed[inbox]))
  redis.call('PEXPIRE', inbox, ARGV[1])
  for _, run in ipairs(grown[inbox] and redis.call('SRANDMEMBER', inbox, 2) or {}) do
    if redis.call('EXISTS', ARGV[2] .. run) == 0 then redis.call('SREM', inbox, run) end
  end
end
for _, channel in ipairs(channels) do
  redis.call('PUBLISH', channel, '[' .. table.concat(sent[channel], ',') .. ']')
end
return answer`);

/**
 * KEYS: lease, own inbox, since when there are records. ARGV: the life of the lease, its mark, the prefix of records, the life of
 * the third key. Returns the mark that there was, the time, and runs with their records.
 */
export const pullScript: Script = script(`
local answer = { redis.call('GET', KEYS[1]), now() }
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
if redis.call('PEXPIRE', KEYS[3], ARGV[4]) == 0 then redis.call('SET', KEYS[3], answer[2], 'PX', ARGV[4]) end
return list(KEYS[2], ARGV[3], answer)`);

/**
 * KEYS: a group, since when there are records. ARGV: the prefix of records, the life of the second key. Returns for how many
 * milliseconds there are records, and the runs of the group with theirs.
 */
export const listScript: Script = script(`
local time, since = now(), redis.call('GET', KEYS[2])
if not since then redis.call('SET', KEYS[2], time, 'PX', ARGV[2]) end
return list(KEYS[1], ARGV[1], { time - (since or time) })`);

/** KEYS: records. ARGV: their life from now on. Returns the records. */
export const renewScript: Script = script(`
local answer = {}
for n, key in ipairs(KEYS) do
  answer[n] = redis.call('GET', key)
  if answer[n] then redis.call('PEXPIRE', key, ARGV[1]) end
end
return answer`);
