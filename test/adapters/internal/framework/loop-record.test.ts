import { describe, expect, it } from 'vitest';
import { LoopRecord, type LoopReader } from '../../../../src/adapters/internal/framework/loop-record.ts';
import { recorderKey } from '../../../../src/core/foundation/brand.ts';
import type { Turn } from '../../../../src/index.ts';
import { stage } from '../../../core/interrupt/kit.ts';

interface Result {
  readonly id: string;
}

const reader: LoopReader = {
  dialect: 'ai-sdk',
  resultsIn: (messages) => (messages as Result[]).map(({ id }) => [id, { output: id }] as const),
};
const usual = { isAside: false, mayRunUnseen: false };

/** The same turn without its conversation. */
function plain(turn: Turn): Turn {
  return Object.getPrototypeOf(turn) as Turn;
}

/** A turn whose recorder writes down what it is told. */
async function played(body: (turn: Turn, log: unknown[]) => unknown) {
  const { agent } = stage();
  const log: unknown[] = [];
  await agent.runTurn(async (turn) => {
    const recorder = {
      turn,
      dialect: 'ai-sdk',
      callId: (id: string) => `own ${id}`,
      told: (...told: unknown[]) => log.push(told),
      read: () => log.push('read'),
      asked: () => log.push('asked'),
    };
    await body(Object.create(turn, { [recorderKey]: { value: recorder } }) as Turn, log);
  });
  return log;
}

describe('the record of a loop', () => {
  it('is told what the framework says of calls, before the model is asked', async () => {
    const log = await played((turn) => {
      const record = new LoopRecord(turn, reader, usual);
      const call = record.call([]);
      call.asked([{ id: 'a' }], { interjections: [] });
      expect(call.callId?.('b')).toBe('own b');
      expect(call.take({ read: () => 'said' })).toMatchObject({ asker: 'loop', reply: { mayRunUnseen: false } });
      record.became([{ id: 'c' }]);
    });
    expect(log).toEqual([['a', { output: 'a' }], 'read', 'asked', ['c', { output: 'c' }]]);
  });

  it.each([
    ['a loop that is aside', 'aside', (turn: Turn) => new LoopRecord(turn, reader, { ...usual, isAside: true })],
    ['a turn of no conversation', 'loop', (turn: Turn) => new LoopRecord(plain(turn), reader, usual)],
  ])('has nothing of %s', async (_what, asker, make) => {
    const log = await played((turn) => {
      const record = make(turn);
      const call = record.call([{ id: 'a' }]);
      call.asked([{ id: 'a' }], { interjections: [] });
      record.became([{ id: 'a' }]);
      expect(call.callId).toBeUndefined();
      expect(call.take({ read: () => 'said' })).toMatchObject({ asker, recorder: undefined });
    });
    expect(log).toEqual([]);
  });

  it('has nothing of a call that is sent no conversation', async () => {
    const log = await played((turn) => {
      const record = new LoopRecord(turn, reader, usual);
      const call = record.call(undefined);
      record.became([{ id: 'a' }]);
      expect(call.take({ read: () => 'said' })).toMatchObject({ asker: 'aside', recorder: undefined });
    });
    expect(log).toEqual([]);
  });

  it('has nothing of what a tool asks, unless the loop goes on from what it was answered', async () => {
    await played(async (turn) => {
      const record = new LoopRecord(turn, reader, usual);
      record.call([]).answered(['a']);
      await turn.tool({ id: 't', name: 'research' }, () => {
        const askerOf = (id: string) => record.call([{ id }]).take({ read: () => '' }).asker;
        const inner = record.call([{ id: 'of somebody else' }]);
        inner.answered(['x']);
        expect(inner.take({ read: () => '' })).toMatchObject({ asker: 'tool', recorder: undefined });
        expect([askerOf('x'), askerOf('a')]).toEqual(['tool', 'loop']);
      });
    });
  });

  it('has nothing that the framework says of a stopped turn, which only the ledger knows', async () => {
    const { agent } = stage();
    const told: unknown[] = [];
    await agent.runTurn((turn) => {
      const recorder = { turn, dialect: 'ai-sdk', told: (id: string) => told.push(id) };
      const record = new LoopRecord(Object.create(turn, { [recorderKey]: { value: recorder } }) as Turn, reader, usual);
      record.became([{ id: 'a' }]);
      agent.cancel('user');
      record.became([{ id: 'b' }], () => told.push('more'));
    });
    expect(told).toEqual(['a']);
  });
});
