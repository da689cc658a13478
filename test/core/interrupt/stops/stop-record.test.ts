import { expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import { Source } from '../../../../src/core/token/source.ts';
import { Token, childOf } from '../../../../src/core/token/token.ts';
import { markStop, stopSource, tellStop } from '../../../../src/core/interrupt/stops/stop-record.ts';
import { deaf, stage, tick } from '../kit.ts';

it.each(['cancel', 'kill'] as const)('a %s is read below from its mark on, and heard when it is told', (kind) => {
  const source = new Source(new Token(undefined));
  const child = childOf(source.token);
  const heard: string[] = [];
  child.onCancelled(() => heard.push('cancel'));
  child.onKilled(() => heard.push('kill'));
  expect(markStop(source, kind, createReason('user'))).toBe(true);
  expect(child).toMatchObject({ isCancelled: true, isKilled: kind === 'kill', reason: { kind: 'user' } });
  expect(heard).toEqual([]);
  tellStop(source, kind);
  expect(heard).toEqual(kind === 'kill' ? ['cancel', 'kill'] : ['cancel']);
});

it('a stop that comes second is no mark, and a kill after a cancel is one', () => {
  const source = new Source(new Token(undefined));
  stopSource(source, 'cancel', createReason('user'));
  expect(markStop(source, 'cancel', createReason('shutdown'))).toBe(false);
  expect(markStop(source, 'kill', createReason('shutdown'))).toBe(true);
  expect(markStop(source, 'kill', createReason('shutdown'))).toBe(false);
  expect(source.reason?.kind).toBe('user');
});

it('a source that was released takes no mark', () => {
  const source = new Source(new Token(undefined));
  source.release();
  expect([markStop(source, 'cancel', createReason('user')), markStop(source, 'kill', createReason('user'))]).toEqual([
    false,
    false,
  ]);
});

it('the failure of a body is no stop that somebody asked for, and one that comes later is', async () => {
  const { agent, clock, events } = stage();
  const turn = agent.runTurn(({ model }) => {
    void model(deaf).catch(() => undefined);
    throw new Error('the body fails');
  });
  await tick();
  agent.cancel('enough');
  await clock.advance(10_000);
  expect(await turn).toMatchObject({ status: 'failed', stop: { reason: { kind: 'sibling' } } });
  expect(events.at(-1)).toMatchObject({ type: 'turn-ended', interrupted: true, reason: { message: 'enough' } });
});
