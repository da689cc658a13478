import { describe, expect, it } from 'vitest';

import { propertyRuns } from '../support/property-runs.ts';
import { liveThrough, type DayOptions } from './support/remote/protocol-world.ts';

/** How many days are lived through; each is known by its seed. */
const DAYS = Number(process.env['REMOTE_SEEDS'] ?? propertyRuns(2_000));
const FIRST = Number(process.env['REMOTE_FIRST'] ?? 1);
/** How many of them with a replica that takes over again and again. */
const TAKE_OVERS = Number(process.env['REMOTE_SEEDS'] ?? propertyRuns(2_000));
/** How many of each kind with somebody who asks again right behind each stop. */
const HASTY = Number(process.env['REMOTE_SEEDS'] ?? propertyRuns(1_000));

interface BadDay {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly log: readonly string[];
}

/** The first three days on which something went wrong. */
async function badDays(days: number, options: DayOptions = {}): Promise<readonly BadDay[]> {
  const failed: BadDay[] = [];
  for (let seed = FIRST; seed < FIRST + days && failed.length < 3; seed++) {
    const { violations, log } = await liveThrough(seed, options);
    if (violations.length > 0) failed.push({ seed, violations, log });
  }
  return failed;
}

describe('stops over an engine that fails', () => {
  it(`${String(DAYS)} bad days lose no stop, confirm none falsely, and tell none twice`, async () => {
    expect(await badDays(DAYS)).toEqual([]);
  });

  it(`${String(TAKE_OVERS)} bad days of a replica that is a little late, and takes over again and again, lose nothing either`, async () => {
    expect(await badDays(TAKE_OVERS, { isReplicated: true })).toEqual([]);
  });

  it.each([false, true])(
    `${String(HASTY)} bad days on which somebody asks again right behind each stop stop what runs by then (a replica: %s)`,
    async (isReplicated) => {
      expect(await badDays(HASTY, { isReplicated, isHasty: true })).toEqual([]);
    },
  );

  it(`${String(HASTY)} bad days of processes that work for others, come late and die lose nobody, and keep nobody's place`, async () => {
    expect(await badDays(HASTY, { isShared: true })).toEqual([]);
    expect(await badDays(HASTY, { isShared: true, isReplicated: true })).toEqual([]);
  });

  it.each([
    [
      8_470,
      'the end of a hosting, when it is written late, takes no word from the one that followed it in its process',
    ],
    [32_785, 'a stop that was told in the process of its asker reaches no later hosting when it is written late'],
    [201_361, 'a stop that was told in the process of its asker is for no later hosting, though no claim was answered'],
    [33_769, 'a stop that was over when the engine lost it for the second time comes to its end'],
    [35_822, 'a stop waits for a member beside the host that the engine has lost'],
    [11_655, 'a stop waits for a member that the engine has lost, also for whoever asked after the loss'],
    [56_899, 'a stop is not settled when a member of its run cannot be reached'],
    [59_067, 'a stop of one hosting is not told to an earlier one that is back first'],
    [86_751, 'a host that finds a loss when it ends names the members that came back sooner'],
    [80_290, 'a stop of a session that has ended is not told to the next one when the end is written again'],
    [85_514, 'a stop that only a lost record knew of is asked for as a new one'],
    [45_209, 'a stop that its host writes again waits for a member that came back sooner'],
    [2_438, 'a stop that became a kill while its host was lost is told as one when the host is back'],
  ])('on day %i %s', async (seed) => {
    expect((await liveThrough(seed)).violations).toEqual([]);
  });

  it.each([
    [22_752, 'a kill that was told as a part of a stop is not told again when the engine has lost that it was'],
    [54_906, 'a host that ends soon after a loss waits for the members of its run before its stops are over'],
    [65_580, 'a hosting that is restored over an earlier one is known for its replacement'],
    [57_501, 'a stop waits for the member beside its asker that the engine has lost'],
    [1_096, 'a kill that the engine has lost is not done with the stop that it was a part of'],
    [159, 'a stop whose host died after an engine had lost who was told does not wait for ever'],
    [812_401, 'a member whom the engine has lost works for the next hosting of its run where that is there first'],
    [3_101_665, 'a kill is told though the engine has lost that its host was told to kill before'],
    [31_569, 'a stop that was told as a part of another stays that one when it was asked for again meanwhile'],
  ])('on day %i with a replica %s', async (seed) => {
    expect((await liveThrough(seed, { isReplicated: true })).violations).toEqual([]);
  });

  it.each([
    [5_347, 'a stop that is asked for again by somebody who cannot know that it was told is for whoever comes next'],
    [502_419, 'a stop that was told as a kill is known as that kill when the engine has lost that it was one'],
    [503_686, 'a stop that was settled waits no more for a member that a loss had taken before'],
    [701_858, 'a stop of a session that has ended joins none that its host may have told before'],
    [702_646, 'a hosting that was replaced, which the engine has lost, is not the end of its run'],
    [
      800_520,
      'a kill that was told as a part of a stop stays told when the engine has lost that, and it became a part of another',
    ],
    [831_401, 'a stop is asked for anew where its first writing was lost with its answer, and its host was replaced'],
    [731_732, 'a hosting that was replaced, which a replica has lost, is not the end of its run'],
  ])('on day %i with a replica and somebody who asks again %s', async (seed) => {
    expect((await liveThrough(seed, { isReplicated: true, isHasty: true })).violations).toEqual([]);
  });

  it('a stop is not settled early when a host is back sooner than a member that the engine has lost', async () => {
    expect((await liveThrough(9_601)).violations).toEqual([]);
  });

  it('a host that is back first is told when the one that had replaced it gives the run up', async () => {
    expect((await liveThrough(16_757)).violations).toEqual([]);
  });

  it('a stop that was observed is not settled early when the engine loses a member of its run twice', async () => {
    expect((await liveThrough(10_310)).violations).toEqual([]);
  });
});
