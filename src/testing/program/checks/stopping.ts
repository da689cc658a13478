/**
 * A stop in a stream, in a command, in a batch of calls, and in a wait for the next attempt.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '../../model-server/request-record.ts';
import { NotApplicable } from '../stage/findings.ts';
import { expectSilence, judgeTold, saysGoOn, speakAgain } from './after-stop.ts';
import { atCommand, atStream, isRunner, LONG, story, work } from './at-work.ts';
import type { Check } from './check.ts';

const OVERLOADED: Readonly<Record<string, number>> = { anthropic: 529 };

export const stream: Check = {
  name: 'stream',
  asks: 'Does a stop close the stream, and is the person heard next?',
  why: 'A stream that is only hidden goes on to be billed, and its end comes into the next turn.',
  script: (_request, n) => (n === 1 ? story(LONG) : 'Understood.'),
  async play(stage) {
    const first = await atStream(stage);
    const at = await stage.stop();
    const closes = await stage.until('the stream closes', () => first.closedAt !== undefined, 2000);
    const ms = Math.round((first.closedAt ?? now()) - at);
    const isCut = closes && first.closedEarly;
    stage.find('stream', isCut, isCut ? 'the stream is closed' : `open ${String(ms)} ms after the stop`, ms);
    await expectSilence(stage, at);
    const shown = stage.driver.output.total;
    await stage.watch(200);
    const late = /\bw\d{1,4} w\d/.exec(stage.driver.output.since(shown));
    stage.find('screen', late === null, late === null ? 'nothing more is drawn' : 'the reply goes on on the screen');
    judgeTold(stage, await speakAgain(stage), false);
  },
};

export const tool: Check = {
  name: 'tool',
  asks: 'Does a stop end a command with all that it has started, and is the model told the truth?',
  why: 'What lives on holds ports, locks and money; a model that takes a stopped command for a finished one builds on it.',
  script: work,
  async play(stage) {
    await atCommand(stage);
    const at = await stage.stop();
    const { left, ms } = await stage.left(at);
    const alive = `alive after ${String(ms)} ms: ${left.join(', ')}`;
    stage.find('tree-after-stop', left.length === 0, left.length === 0 ? 'all of it is gone' : alive, ms);
    await expectSilence(stage, at);
    judgeTold(stage, await speakAgain(stage), true);
  },
};

export const batch: Check = {
  name: 'batch',
  asks: 'Is the second call of a batch left alone once the first was stopped?',
  why: 'The person stopped what they saw; what comes behind it they have not even seen.',
  script: (request, n, stage) => {
    if (n > 1 || !isRunner(request, stage)) return work(request, n, stage);
    const second = join(stage.folder, 'second');
    return { text: 'Both.', toolCalls: stage.shellCalls(request, stage.commands.command, `touch ${second}`) };
  },
  async play(stage) {
    const second = join(stage.folder, 'second');
    await atCommand(stage);
    if (existsSync(second)) throw new NotApplicable('the program runs the calls of a batch at once');
    const at = await stage.stop();
    await expectSilence(stage, at);
    const isStarted = existsSync(second);
    stage.find('batch', !isStarted, isStarted ? 'the second call was started after the stop' : 'it was never started');
    judgeTold(stage, await speakAgain(stage), true);
  },
};

export const retry: Check = {
  name: 'retry',
  asks: 'Is a stop heard in a wait for the next attempt?',
  why: 'An overloaded provider is when people press stop; a timer that nobody cancels asks again behind their back.',
  script: (request, _n, stage) => {
    if (saysGoOn(request)) return 'Understood.';
    const status = stage.main.length === 0 ? 429 : (OVERLOADED[request.dialect] ?? 503);
    return { status, message: 'Overloaded' };
  },
  async play(stage) {
    await stage.say('begin');
    const first = await stage.request(1);
    if (!(await stage.until('a second attempt', () => stage.main.length > 1, 5000))) {
      throw new NotApplicable('the program does not ask again within 5 s');
    }
    const [, second = first] = stage.main;
    await stage.need('the error', () => second.finishedAt !== undefined, 5000);
    const gap = second.receivedAt - first.receivedAt;
    const at = await stage.stop();
    // Waits grow, by doubling more often than not.
    await expectSilence(stage, at, Math.min(12_000, Math.max(stage.setup.watchMs, gap * 3)));
    await speakAgain(stage);
  },
};
