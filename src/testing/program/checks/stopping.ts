/**
 * A stop in a stream, in a command, in a batch of calls, and in a wait for the next attempt.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { delay } from '../../../index.ts';
import { historyOf } from '../../model-server/reading/history.ts';
import { now, type ModelRequest } from '../../model-server/request-record.ts';
import { resultIn } from '../conversation/handed-out.ts';
import { readProcesses } from '../outside/processes.ts';
import { takesOnePrompt } from '../profile.ts';
import { NotApplicable, Unplayed } from '../stage/findings.ts';
import { expectSilence, judgeTold, onlyPromptOf, saysGoOn, speakAgain, UNDERSTOOD } from './after-stop.ts';
import { atCommand, atStream, behindFinished, endless, isRunner, work } from './at-work.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';

/** So long something may still be drawn that was read before the key. */
const FRAME_MS = 200;

/** The number of the last word of a story that stands in a text; 0 without one. */
export const lastWordIn = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/\bw(\d{1,4})\b/g)].map(([, number]) => Number(number)));

const OVERLOADED: Readonly<Record<string, number>> = { anthropic: 529 };

export const stream: Check = {
  name: 'stream',
  asks: 'Does a stop close the stream, and is the person heard next?',
  why: 'A stream that is only hidden goes on to be billed, and its end comes into the next turn.',
  script: (_request, n) => (n === 1 ? endless : UNDERSTOOD),
  async play(stage) {
    const first = await atStream(stage);
    const at = await stage.stop();
    // Also of a program that asks twice at once.
    const streams = stage.main.filter(({ closedAt = Infinity }) => closedAt >= at);
    await stage.until(() => streams.every(({ closedAt }) => closedAt !== undefined), 2000);
    const ms = Math.round(Math.max(at, ...streams.map(({ closedAt = now() }) => closedAt)) - at);
    const isCut = first.closedEarly && streams.every(({ closedEarly }) => closedEarly);
    stage.find('stream', isCut, isCut ? 'the stream is closed' : `open ${String(ms)} ms after the stop`, ms);
    // A frame may be on its way.
    await stage.watch(FRAME_MS);
    const shown = stage.driver.output.total;
    const last = lastWordIn(stage.driver.output.since(0));
    await expectSilence(stage, at);
    // What stood there may be drawn anew; what goes on has words that nobody has seen.
    const goesOn = lastWordIn(stage.driver.output.since(shown)) > last;
    stage.find('screen', !goesOn, goesOn ? 'the reply goes on on the screen' : 'nothing more of the reply is drawn');
    judgeTold(stage, await speakAgain(stage));
  },
};

export const tool: Check = {
  name: 'tool',
  asks: 'Does a stop end a command with all that it has started, and is the model told the truth?',
  why: 'What lives on holds ports, locks and money; a model that takes a stopped command for a finished one builds on it.',
  script: behindFinished(work),
  async play(stage) {
    await atCommand(stage);
    // A program that takes one prompt is to end with its commands.
    const own = takesOnePrompt(stage.setup.profile) ? await stage.ownProcesses() : undefined;
    const at = await stage.stop();
    const { left, ms } = await stage.left(at, own);
    const alive = `alive after ${String(ms)} ms: ${left.join(', ')}`;
    stage.find('tree-after-stop', left.length === 0, left.length === 0 ? 'all of it is gone' : alive, ms);
    await expectSilence(stage, at);
    judgeTold(stage, await speakAgain(stage));
  },
};

/** Whether the program has left the stopped call behind: it has ended, or told the model what became of it. */
function goesOnBehind({ driver, stopped }: Stage, next: ModelRequest | undefined): boolean {
  const [first] = stopped?.calls ?? [];
  return driver.end !== undefined || (next !== undefined && first !== undefined && resultIn(historyOf(next), first) !== undefined); // prettier-ignore
}

/** A second call that could not have been started yet has not been left alone. */
export function judgeBatch(
  stage: Stage,
  { isStarted, isOver }: { readonly isStarted: boolean; readonly isOver: boolean },
): void {
  if (isStarted) stage.find('batch', false, 'the second call was started after the stop');
  else if (isOver) stage.find('batch', true, 'it was never started');
  else stage.find('fact', false, 'the first call still runs: whether the second one is left alone is not known');
}

export const batch: Check = {
  name: 'batch',
  asks: 'Is the second call of a batch left alone once the first was stopped?',
  why: 'The person stopped what they saw; what comes behind it they have not even seen.',
  script: behindFinished((request, n, stage) => {
    if (n > 1 || !isRunner(request, stage)) return work(request, n, stage);
    const second = join(stage.folder, 'second');
    return { text: 'Both.', toolCalls: stage.shellCalls(request, stage.commands.command, `touch ${second}`) };
  }),
  async play(stage) {
    const second = join(stage.folder, 'second');
    await atCommand(stage);
    if (existsSync(second)) throw new NotApplicable('the program runs the calls of a batch at once');
    const at = await stage.stop();
    await expectSilence(stage, at);
    const next = await speakAgain(stage);
    const isStarted = existsSync(second);
    const rows = await readProcesses();
    const runs = rows.some(({ command }) => command.includes(stage.commands.command));
    judgeBatch(stage, { isStarted, isOver: !runs || goesOnBehind(stage, next) });
    // The second one that has run may say so.
    const open = stage.stopped?.calls ?? [];
    judgeTold(stage, next, isStarted ? open.slice(0, 1) : open);
  },
};

/** Two prompts: of the first it is counted how often the program asks, the second is stopped in the last wait that is known to end. */
const FIRST = 'begin';
const SECOND = 'once more';
/** The attempt that the first prompt is answered in. */
const ENOUGH = 3;
/** A wait in which a key arrives in any case. */
const SHORTEST_MS = 200;
/** Who has not heard the next prompt after so long would have heard it later, too. */
const HEARD_MS = 1500;

const saysSecond = (request: ModelRequest): boolean => historyOf(request).some(({ text }) => text.includes(SECOND));

function attemptsAt(stage: Stage, words: typeof FIRST | typeof SECOND): readonly ModelRequest[] {
  return stage.main.filter((request) => saysSecond(request) === (words === SECOND));
}

const gapBetween = (attempts: readonly ModelRequest[]): number =>
  (attempts.at(-1)?.receivedAt ?? 0) - (attempts.at(-2)?.receivedAt ?? 0);

/** Says the first prompt, and lets the program ask until it is answered or gives up. */
async function countAttempts(stage: Stage): Promise<readonly ModelRequest[]> {
  await stage.say(FIRST);
  await stage.request(1);
  for (let seen = 1; seen < ENOUGH; seen++) {
    // Waits grow, by doubling more often than not.
    const limit = seen === 1 ? 5000 : Math.min(12_000, gapBetween(attemptsAt(stage, FIRST)) * 3);
    if (!(await stage.until(() => attemptsAt(stage, FIRST).length > seen, limit))) break;
  }
  return attemptsAt(stage, FIRST);
}

/** Who has had its only prompt is asked nothing more, and who has ended otherwise cannot be. */
function needsAnother(stage: Stage): void {
  const { canGoOn, end } = stage.driver;
  if (canGoOn) return;
  const only = onlyPromptOf(stage);
  if (only !== undefined) throw new NotApplicable(only);
  throw new Unplayed(`the program ended with ${String(end?.code)} before its second prompt`);
}

/**
 * The person speaks while the program would still wait: one that sleeps through the stop hears neither before that is over.
 *
 * @param gap How long the wait is, and when it ends; neither is known to the last of it.
 */
export async function speakInTheWait(stage: Stage, gap: number, overAt: number): Promise<void> {
  await stage.watch(FRAME_MS);
  const at = now();
  const next = await speakAgain(stage);
  if (next === undefined || next.receivedAt < overAt - gap / 4) return;
  if (next.receivedAt - at < stage.setup.patience.within(HEARD_MS)) return;
  const sentence = 'the next prompt is heard when the wait for the next attempt is over, and no sooner';
  stage.find('prompt', false, sentence, Math.round(next.receivedAt - at));
}

export const retry: Check = {
  name: 'retry',
  asks: 'Is a stop heard in a wait for the next attempt?',
  why: 'An overloaded provider is when people press stop; a timer that nobody cancels asks again behind their back.',
  script: (request, _n, stage) => {
    const words = saysSecond(request) ? SECOND : FIRST;
    const attempt = attemptsAt(stage, words).length;
    if (saysGoOn(request) || (words === FIRST && attempt >= ENOUGH)) return UNDERSTOOD;
    const status = attempt === 1 ? 429 : (OVERLOADED[request.dialect] ?? 503);
    return { status, message: 'Overloaded' };
  },
  async play(stage) {
    const attempts = await countAttempts(stage);
    if (attempts.length < 2) throw new NotApplicable('the program does not ask again within 5 s');
    const gap = gapBetween(attempts);
    // Not that of a slow machine: its program waits no longer, either.
    if (gap < SHORTEST_MS) {
      throw new NotApplicable(`it waits ${String(Math.round(gap))} ms: that is over before anybody stops in it`);
    }
    await stage.settled();
    needsAnother(stage);
    await stage.say(SECOND);
    const before = attempts.length - 1;
    const last = (): ModelRequest | undefined => attemptsAt(stage, SECOND)[before - 1];
    await stage.need('the error', () => last()?.finishedAt !== undefined, 20_000);
    const at = await stage.stop();
    const overAt = (last()?.finishedAt ?? at) + gap;
    const isLong = overAt - now() > stage.setup.patience.within(HEARD_MS);
    if (isLong) await speakInTheWait(stage, gap, overAt);
    else
      stage.find('fact', true, 'whether the stop ends the wait is not known: it is too short for that on this machine');
    // As long again as the wait in this place, with room for its chance: on a slow machine, too, that is a time of the clock.
    await delay(stage.setup.patience.token, gap * 2);
    await expectSilence(stage, at);
    if (!isLong) await speakAgain(stage);
  },
};
