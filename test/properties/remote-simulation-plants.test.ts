/**
 * The simulation of stops over an engine that fails finds each of these mistakes when it is planted.
 */
import { describe, expect, it } from 'vitest';

import { runBroken, type Fault } from './support/broken-source.ts';
import type { BackendMistakes } from './support/remote/faulty-backend.ts';

/** How many days are lived through at most. */
const DAYS = 1_000;

interface Planted extends Fault {
  readonly name: string;
  readonly law: RegExp;
  /** Where it shows: where a replica takes over, where somebody asks again right behind a stop, or where many work for others. */
  readonly weather?: 'replicated' | 'hasty' | 'shared';
  /** The first day: shortly before the one on which it shows, where it shows on few. */
  readonly from?: number;
}

const faults: readonly Planted[] = [
  {
    name: 'what was written since the last heartbeat counts as written when a replica takes over',
    file: 'remote/node/upkeep.ts',
    found: 'isWhole ? undefined : marked',
    replaced: 'isWhole ? undefined : new Set()',
    law: /lost: /,
    weather: 'replicated',
  },
  {
    name: 'an engine that has the lease has everything',
    file: 'remote/node/engine/marks.ts',
    found: 'previous === this.#last;',
    replaced: 'previous !== undefined;',
    law: /lost: /,
    weather: 'replicated',
  },
  {
    name: 'a stop of a later hosting is told to the one that there is',
    file: 'remote/node/hosted-run.ts',
    found: `stop.phase !== 'requested' || (stop.only ?? record.epoch) !== this.epoch`,
    replaced: `stop.phase !== 'requested'`,
    law: /D7: /,
    weather: 'replicated',
    from: 3_121,
  },
  {
    name: 'a stop joins one that its host was told of before',
    file: 'remote/record/ask-stop.ts',
    found: 'older?.has(id) === false',
    replaced: 'true',
    law: /lost: .* by what was told before it was asked for/,
    weather: 'hasty',
    from: 151,
  },
  {
    name: 'a stop joins one that is written when it was told, or again',
    file: 'remote/record/ask-stop.ts',
    found: 'mayBeTold !== true && ',
    replaced: '',
    law: /lost: .* by what was told before it was asked for/,
    weather: 'hasty',
    from: 101,
  },
  {
    name: 'the end of a run tells nobody who works for it elsewhere',
    file: 'remote/record/end-run.ts',
    found: 'const untold = isTold ? []',
    replaced: 'const untold = given !== undefined ? []',
    law: /lost: .* was not told that .* has ended/,
    from: 101,
  },
  {
    name: 'a member that has died keeps its place',
    file: 'remote/node/upkeep.ts',
    found: 'if (isAll) return;',
    replaced: 'if (clock.now() > 0) return;',
    law: /D6: .* is dead, and has its place/,
    weather: 'shared',
  },
  {
    name: 'what only members work for is kept as briefly as what nobody works for',
    file: 'remote/node/engine/exchange.ts',
    found: '(record?.members.length ?? 0) > 0',
    replaced: '(record?.members.length ?? 0) > 64',
    law: /D11: .* and somebody works for it/,
    weather: 'shared',
  },
  {
    name: 'a requester takes its own write for the answer',
    file: 'remote/requester/pursued-stop.ts',
    found: 'this.#know(viewStop(written, asked.stop.id));',
    replaced: `{ this.#know(viewStop(written, asked.stop.id)); this.#reach('observed'); }`,
    law: /D5: .* observed, and nobody was told/,
  },
  {
    name: 'a heartbeat has no deadline',
    file: 'remote/node/engine/exchange.ts',
    found: 'this.#inTime(() => this.#connection.pull(leaseMs, mark))',
    replaced: 'this.#connection.pull(leaseMs, mark)',
    law: /lost: |D8: /,
  },
  {
    name: 'a heartbeat that was not answered found what it was to find',
    file: 'remote/node/engine/marks.ts',
    found: `isOurs ? 'unknown'`,
    replaced: `isOurs ? 'whole'`,
    law: /lost: the engine does not know/,
  },
  {
    name: 'what was answered is gone with the data of the engine',
    file: 'remote/node/hosted-run.ts',
    found: 'record !== found) return this.#flush(false);',
    replaced: 'record !== found) return undefined;',
    law: /lost: the engine does not know/,
  },
  {
    name: 'a failed attempt is taken for the end of the run',
    file: 'remote/record/end-run.ts',
    found: `willRetry ? { state: 'pending' } : { state: 'settled', groups: [] }`,
    replaced: `{ state: 'settled', groups: [] }`,
    law: /D10: /,
  },
  {
    name: 'a claim that is sent twice is two claims',
    file: 'remote/record/transitions.ts',
    found: `if (record.state === 'running' && record.claim === claim) return { record: undefined, result: record };`,
    replaced: '',
    law: /D7: one hosting was claimed twice/,
  },
  {
    name: 'an answer that a dead socket owes tears the fresh one down',
    file: 'remote/node/engine/exchange.ts',
    found: 'if (socket === this.#socket && answers === this.#answers) ',
    replaced: '',
    law: /tore a fresh connection down/,
  },
  {
    name: 'a stop that was told is told again',
    file: 'remote/node/told-stops.ts',
    found: `if (known !== undefined && (known.stop.level === 'kill' || stop.level === 'cancel')) {`,
    replaced: `if (known?.stop.phase === 'settled') {`,
    law: /double: /,
  },
  {
    name: 'a host that cannot renew its lease works on',
    file: 'remote/node/lease.ts',
    found: 'this.#parts.lost();',
    replaced: '',
    law: /D8: /,
  },
  {
    name: 'the last reason wins',
    file: 'remote/record/ask-stop.ts',
    found: `const stop: StopEntry = { ...twin, level: 'kill', upgradedBy: ask.id };`,
    replaced: `const stop: StopEntry = { ...twin, level: 'kill', upgradedBy: ask.id, reason: ask.reason };`,
    law: /D4: /,
  },
  {
    name: 'a replaced host writes over its successor',
    file: 'remote/record/transitions.ts',
    found: `if (given !== undefined && given.epoch >= epoch) return undefined;`,
    replaced: '',
    law: /D7: /,
  },
  {
    name: 'a member is forgotten when the host ends first',
    file: 'remote/node/members.ts',
    found: 'if (!isWaiting && (isFinal(stop) || !concerns(stop, entry))) continue;',
    replaced: 'if (isFinal(stop) || !concerns(stop, entry)) continue;',
    law: /lost: .* member/,
  },
  {
    name: 'a bus that closes says that its runs have ended',
    file: 'remote/stop-bus-node.ts',
    found: 'run.giveUp()',
    replaced: 'run.end({})',
    law: /D5: nothing has ended /,
  },
];

const mistakes: readonly {
  readonly name: string;
  readonly made: BackendMistakes;
  readonly law: RegExp;
  readonly isFair?: boolean;
}[] = [
  // prettier-ignore
  { name: 'the heartbeat waits behind other traffic', made: { oneLine: true }, law: /nothing was wrong/, isFair: true },
  // What was not woken hears of the stop when it writes for another reason: when its bus closes, at the latest.
  { name: 'a wake-up goes to one of several', made: { queueGroup: true }, law: /lost: |told to a hosting that was released/ }, // prettier-ignore
  { name: 'a closed bus keeps its lease', made: { keptLease: true }, law: /closed, and its lease stays/ },
];

function seek(fault: Fault | undefined, made: BackendMistakes = {}, weather = '', from = 1): Promise<string> {
  const args = [String(fault === undefined && Object.keys(made).length === 0 ? 100 : DAYS), JSON.stringify(made)];
  return runBroken('support/remote/seek-day.ts', [...args, weather, String(from)], fault);
}

describe('the simulation of stops', { timeout: 120_000 }, () => {
  it.each(faults)('the simulation finds that $name', async ({ law, file, found, replaced, weather, from }) => {
    expect(await seek({ file, found, replaced }, {}, weather, from)).toMatch(law);
  });

  it.each(mistakes)('the simulation finds that $name', async ({ law, made, isFair }) => {
    expect(await seek(undefined, made, isFair === true ? 'fair' : '')).toMatch(law);
  });

  it('the simulation finds nothing where nothing is broken', async () => {
    expect(await seek(undefined)).toBe('');
  });
});
