/** What happens to the model's own call when its turn is stopped, falls silent, or may cost no more. S07, S09, S10, S15, S44. */
import { expect } from 'vitest';
import { classify } from '../../../../src/index.ts';
import { callsOf, rowsOf } from '../frameworks/loop-stage.ts';
import { arrived, cellOf, loops, wordsIn, type Scenario } from './cell.ts';
import { limitMs } from '../../../support/limit.ts';

const cancelled = { status: 'cancelled', reason: { kind: 'user' } };
const long = 'one two three';

const plays: Readonly<Record<string, Scenario['play']>> = {
  async 'S07 a stop of one turn, repeated and late, never touches the next'(way) {
    const script = [way.says(long, { silentAfter: 1 }), way.says('Hello there.'), 'Went on.', 'too many'];
    const cell = await cellOf(way, script, { graceMs: 1000 });
    const ticket = cell.agent.accept();
    const first = cell.run({}, { ticket });
    await arrived(cell, way, 1);
    const receipts = [cell.agent.cancel('user'), cell.agent.cancel('user'), cell.agent.cancel('user')];
    expect(await first).toMatchObject(cancelled);
    expect(new Set(await Promise.all(receipts.map(({ settled }) => settled))).size).toBe(1);
    const second = cell.run();
    ticket.cancel('user');
    const report = await second;
    expect(report.unwrap()).toBe('Hello there.');
    const ends = cell.events.flatMap((event) => (event.type === 'turn-ended' ? [event.status] : []));
    expect(ends).toEqual(['cancelled', 'completed']);
    await cell.endsWith(report, { requests: 2 });
  },

  async 'S07 a turn that is stopped before it starts asks no model'(way) {
    const cell = await cellOf(way, ['too many']);
    const ticket = cell.agent.accept();
    cell.agent.cancel('user');
    const report = await cell.run({}, { ticket });
    expect(report).toMatchObject(cancelled);
    await loops();
    expect(cell.server.requests).toEqual([]);
  },

  async 'S09 a pause after Retry-After ends at once, and nothing is asked again'(way) {
    const busy = { status: 503, message: 'busy', headers: { 'retry-after': '1' } };
    const cell = await cellOf(way, [busy, 'Went on.', 'too many']);
    const running = cell.run({ maxRetries: 3, graceMs: 0 });
    await cell.server.waitFor(({ requests }) => requests[0]?.finishedAt);
    await loops();
    cell.agent.cancel('user');
    const report = await running;
    expect(report).toMatchObject(cancelled);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await cell.endsWith(report, { requests: 1, model: report.stop?.operations.map(({ outcome }) => outcome) ?? [] });
  },

  async 'S10 a model that falls silent is an idle limit, retryable, with its words'(way) {
    const cell = await cellOf(way, [way.says(long, { silentAfter: 2 }), 'Went on.', 'too many'], { graceMs: 1000 });
    const report = await cell.run({ idleMs: limitMs(500), graceMs: 1000 });
    expect(report).toMatchObject({ status: 'failed', error: { name: 'TimeoutError', reason: { kind: 'idle' } } });
    expect(report.status === 'failed' && classify(report.error).retryable).toBe(true);
    await cell.server.waitFor(({ requests }) => requests[0]?.closedEarly);
    await cell.endsWith(report, { requests: 1, words: 'one two' });
  },

  async 'S15 an answer that is stopped is cut and not complete: its words are kept, its socket closed'(way) {
    const cell = await cellOf(way, [way.says(long, { silentAfter: 2 }), 'Went on.', 'too many'], { graceMs: 1000 });
    const running = cell.run({ graceMs: 1000 });
    await arrived(cell, way, 2);
    cell.agent.cancel('user');
    const report = await running;
    expect(report).toMatchObject(cancelled);
    expect(report).not.toHaveProperty('value');
    await cell.server.waitFor(({ requests }) => requests[0]?.closedEarly);
    await cell.endsWith(report, { requests: 1, model: ['cancelled'], words: 'one two' });
  },

  async 'S44 a budget of one call is one request'(way) {
    const isTooMuch = way.noTools === undefined;
    const script = [isTooMuch ? callsOf('note') : way.says('All done.'), 'Went on.', 'too many'];
    const cell = await cellOf(way, script);
    const report = await cell.run({ tools: { note: () => 'noted' } }, { budget: { modelCalls: 1 } });
    if (isTooMuch) {
      expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
      expect(rowsOf(report)).toEqual(['note: completed']);
    } else expect(report.unwrap()).toBe('All done.');
    expect(wordsIn(report)).toBe('');
    await cell.endsWith(report, { requests: 1 });
  },
};

export const modelScenarios: readonly Scenario[] = Object.entries(plays).map(([title, play]) => ({
  title,
  hasTools: false,
  play,
}));
