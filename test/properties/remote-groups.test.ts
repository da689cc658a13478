import { describe, expect, it } from 'vitest';

import { propertyRuns } from '../support/property-runs.ts';
import { runBroken, type Fault } from './support/broken-source.ts';
import { liveInGroups } from './support/remote/group-world.ts';

/** How many days are lived through; each is known by its seed. */
const DAYS = Number(process.env['REMOTE_SEEDS'] ?? propertyRuns(1_000));
const FIRST = Number(process.env['REMOTE_FIRST'] ?? 1);

async function badDays(days: number, isReplicated: boolean): Promise<readonly unknown[]> {
  const failed = [];
  for (let seed = FIRST; seed < FIRST + days && failed.length < 3; seed++) {
    const { violations, log } = await liveInGroups(seed, isReplicated);
    if (violations.length > 0) failed.push({ seed, violations, log });
  }
  return failed;
}

describe('stops of groups over an engine that fails', () => {
  it(`${String(DAYS)} bad days lose no session of a group, tell none twice, and none that is not meant`, async () => {
    expect(await badDays(DAYS, false)).toEqual([]);
  });

  it(`${String(DAYS / 2)} bad days of a replica that is a little late lose no session of a group either`, async () => {
    expect(await badDays(DAYS / 2, true)).toEqual([]);
  });

  it('a stop of a group is told once where a claim that is on its way takes over from who was listed', async () => {
    expect((await liveInGroups(238)).violations).toEqual([]);
  });

  it('a stop of a group reaches a hosting whose claim the engine has lost before it was answered', async () => {
    expect((await liveInGroups(49)).violations).toEqual([]);
  });

  it('a stop of a group waits for who hosts a run, though one that it had replaced is back sooner, and ends', async () => {
    expect((await liveInGroups(3_435)).violations).toEqual([]);
  });

  it('a stop of a group waits for who hosts a run, though a late replica has an earlier hosting that has ended', async () => {
    expect((await liveInGroups(14_158, true)).violations).toEqual([]);
  });

  it('a stop of a group that was settled is not for whoever takes its session over when the engine has lost that it was', async () => {
    expect((await liveInGroups(522_323)).violations).toEqual([]);
  });

  it('a stop of a group is not for a host that a replica has lost, and whose session somebody else has taken since', async () => {
    expect((await liveInGroups(906_766, true)).violations).toEqual([]);
  });

  it('a stop of a group reaches whoever had replaced the host that was listed, though that one ends sooner', async () => {
    expect((await liveInGroups(297, true)).violations).toEqual([]);
  });

  it('a stop of a group that was told to a host, whose replacement and its end the engine has lost, is for the next one', async () => {
    expect((await liveInGroups(4_300_022, true)).violations).toEqual([]);
  });

  it('a stop of a group is not for a session that is opened when the one that was meant has just ended', async () => {
    expect((await liveInGroups(400_483, true)).violations).toEqual([]);
  });
});

const faults: readonly (Fault & { readonly name: string; readonly law: RegExp })[] = [
  {
    name: 'a stop of a group is for whoever hosts the run by then',
    file: 'remote/stop-group.ts',
    found: 'const ask = { ...asked, of: record.epoch };',
    replaced: 'const ask = asked;',
    law: /wrong run: /,
  },
  {
    name: 'what an engine has lost is not listed again',
    file: 'remote/record/transitions.ts',
    found: "return { ...base, epoch, first: undefined, isReplacement, state: 'running', node, claim, stops, groups }",
    replaced: "return { ...base, epoch, first: undefined, isReplacement, state: 'running', node, claim, stops }",
    law: /lost: /,
  },
  {
    name: 'who hosts the run here is taken for who hosts it',
    file: 'remote/stop-group.ts',
    found: 'mine?.run.named.claim === record.claim',
    replaced: 'mine !== undefined',
    law: /lost: /,
  },
  {
    name: 'an engine that is new is taken for one that has lost nothing',
    file: 'remote/node/engine/data-loss.ts',
    found: 'this.isRecent || ageMs < this.#parts.returnMs',
    replaced: 'this.isRecent',
    law: /incomplete: /,
  },
  {
    name: 'the same stop has another name at each hosting',
    file: 'remote/stop-group.ts',
    found: '{ ...mine.ask, id: handedOnId(mine.ask.id, record.epoch) }',
    replaced: 'newAsk()',
    law: /double: /,
  },
];

describe('the simulation of stops of groups', { timeout: 120_000 }, () => {
  it.each(faults)('the simulation of stops of groups finds that $name', async ({ law, file, found, replaced }) => {
    expect(await runBroken('support/remote/seek-group-day.ts', ['1000'], { file, found, replaced })).toMatch(law);
  });
});
