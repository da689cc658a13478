import { expect, it } from 'vitest';

import { Pauses } from '../../src/guard/pauses.ts';
import { guardTool } from '../../src/guard/index.ts';
import { stage } from '../core/interrupt/kit.ts';

interface Options {
  readonly toolCallId: string;
  readonly suspend: (payload: unknown) => Promise<void>;
  readonly resumeData: unknown;
}

it.each([
  ['returns', (): unknown => undefined],
  [
    'throws',
    (): unknown => {
      throw new Error('to be run again');
    },
  ],
])(
  'a tool that suspends its loop, and %s, has neither completed nor failed, and its loop gets what it did',
  async (how, end) => {
    const { agent } = stage();
    const payloads: unknown[] = [];
    const report = await agent.runTurn(async (turn) => {
      const pay = guardTool(
        async (_input: object, { suspend }: Options) => {
          await suspend({ sum: 7 });
          return end();
        },
        { turn },
      );
      const suspend = (payload: unknown): Promise<void> => {
        payloads.push(payload);
        return Promise.resolve();
      };
      return await pay({}, { toolCallId: 'a', suspend, resumeData: undefined }).then(
        () => 'returns',
        () => 'throws',
      );
    });
    expect(report.unwrap()).toBe(how);
    expect(report.calls).toMatchObject([
      { id: 'a', status: 'stopped', reason: { message: 'The call waits for a person: its loop was left' } },
    ]);
    expect(payloads).toEqual([{ sum: 7 }]);
  },
);

it('a tool that could suspend its loop, and does not, completes or fails', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    const own = { suspend: () => Promise.resolve(), resumeData: undefined };
    await guardTool((_input: object, _own: object) => Promise.resolve('paid'), { turn })(
      {},
      { ...own, toolCallId: 'a' },
    );
    const fail = (_input: object, _own: object) => Promise.reject(new Error('no money'));
    await guardTool(fail, { turn })({}, { ...own, toolCallId: 'b' }).catch(() => undefined);
  });
  expect(report.calls).toMatchObject([{ status: 'completed', value: 'paid' }, { status: 'failed' }]);
});

it('a stop beats what a tool that has suspended its loop comes to', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    const pay = guardTool(
      async (_input: object, { suspend }: Options) => {
        await suspend({});
        agent.cancel('user');
      },
      { turn },
    );
    await pay({}, { toolCallId: 'a', suspend: () => Promise.resolve(), resumeData: undefined });
  });
  expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
});

it('what is no function, belongs to a class, or leads to nothing that is resumed, is no way out of a loop', () => {
  class Sound {
    suspend(): void {
      this.isSilent = true;
    }
    isSilent = false;
  }
  const sound = Object.assign(new Sound(), { resumeData: 1 });
  const args = [{ suspend: 'now', resumeData: 1 }, sound, undefined, { suspend: () => undefined }];
  const pauses = new Pauses();
  expect(pauses.heardIn(args).map((arg, at) => arg === args[at])).toEqual([true, true, true, true]);
  expect([pauses.isSuspended, pauses.isError(new Error('no'))]).toEqual([false, false]);
  expect(pauses.isError(Object.assign(new Error('left'), { is_bubble_up: true }))).toBe(true);
});

it('a tool can suspend its loop by the part of its context that is about the agent', () => {
  const pauses = new Pauses();
  const suspend = (): string => 'suspended';
  const [, given] = pauses.heardIn([{}, { agent: { toolCallId: 'a', suspend, resumeData: 1 }, runId: 'r' }]);
  expect(given).toMatchObject({ agent: { toolCallId: 'a' }, runId: 'r' });
  expect((given as { agent: { suspend: () => string } }).agent.suspend()).toBe('suspended');
  expect(pauses.isSuspended).toBe(true);
});
