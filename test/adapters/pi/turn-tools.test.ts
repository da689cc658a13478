import { describe, expect, it } from 'vitest';

import { Questions, tellUnbegun, turnTools, type ToolCalls } from '../../../src/adapters/pi/turn-tools.ts';
import type { BeforeToolCall } from '../../../src/adapters/pi/shapes.ts';
import { toolContextOf } from '../../../src/guard/index.ts';
import type { InterruptController, TurnReport } from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { stage, tick } from '../../core/interrupt/kit.ts';
import { textPart } from './support/fake-pi.ts';

const value = { content: [textPart('done')], details: {} };

type Execute = (id: string, input: unknown, signal?: AbortSignal, onUpdate?: (value: unknown) => void) => unknown;
type Run = (execute: Execute, agent: InterruptController) => unknown;

let held = 0;

/** A turn with one tool, in the loop's hands. */
async function withTool(execute: Execute, body: Run, before?: BeforeToolCall) {
  held = 0;
  const { agent, clock } = stage({ graceMs: 100 });
  const tool = { name: 'work', label: 'Work', execute };
  const report: TurnReport<unknown> = await agent.runTurn(async (turn) => {
    const questions = before && new Questions(before);
    const hold: ToolCalls['hold'] = () => {
      held += 1;
      return { release: () => void (held -= 1) };
    };
    const [own] = turnTools([tool], { turn, dialect: openaiChat, options: {}, answered: new Set(), hold }, questions);
    expect(own).toMatchObject({ name: 'work', label: 'Work' });
    return await body(async (id, input, ...rest) => {
      await questions?.keep({ toolCall: { id } });
      return await own?.execute(id, input, ...rest);
    }, agent);
  });
  expect(held).toBe(0);
  return { report, clock };
}

const tellOf = (promise: unknown): Promise<unknown> => Promise.resolve(promise).catch((error: unknown) => error);

describe('a call of the loop', () => {
  it('has its row, the loop its result, and the tool what it is given', async () => {
    const given: unknown[] = [];
    const work: Execute = (...args) => {
      given.push(args[0], args[1], toolContextOf(args[2])?.call);
      return value;
    };
    const { report } = await withTool(work, (execute) => execute('x', { path: 'a' }));
    expect(report.unwrap()).toBe(value);
    expect(report.calls).toMatchObject([{ id: 'x', name: 'work', status: 'completed' }]);
    expect(given).toEqual(['x', { path: 'a' }, { id: 'x', name: 'work', input: { path: 'a' } }]);
  });

  it('after a stop is not started, and the loop has the words for it', async () => {
    let ran = 0;
    const { report } = await withTool(
      () => (ran += 1),
      async (execute, agent) => {
        agent.cancel('user');
        return String(await tellOf(execute('x', {})));
      },
    );
    expect([ran, report.status]).toEqual([0, 'cancelled']);
    expect(report.calls).toMatchObject([{ status: 'not-started' }]);
  });

  it('that throws has failed, and the loop has its error', async () => {
    const error = new RangeError('too much');
    const { report } = await withTool(
      () => Promise.reject(error),
      (execute) => tellOf(execute('x', {})),
    );
    expect(report.unwrap()).toBe(error);
    expect(report.calls).toMatchObject([{ status: 'failed', error }]);
  });

  it('tells its progress to the loop and to the ledger, until it is over', async () => {
    const seen: unknown[] = [];
    let tell: ((value: unknown) => void) | undefined;
    const started = deferred();
    const work: Execute = (_id, _input, signal, onUpdate) => {
      tell = onUpdate;
      onUpdate?.({ content: [textPart('half')] });
      started.resolve();
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    };
    const { report } = await withTool(work, async (execute, agent) => {
      const running = tellOf(execute('x', {}, undefined, (update) => seen.push(update)));
      await started.promise;
      agent.cancel('user');
      await running;
    });
    tell?.({ content: [textPart('late')] });
    expect(seen).toEqual([{ content: [textPart('half')] }]);
    expect(report.calls).toMatchObject([{ status: 'stopped', partial: 'half' }]);
  });

  it('tells its progress where nobody listens', async () => {
    const work: Execute = (_id, _input, _signal, onUpdate) => {
      onUpdate?.({ content: [] });
      return value;
    };
    expect((await withTool(work, (execute) => execute('x', {}))).report.unwrap()).toBe(value);
  });

  it('of something that cannot be run is passed on as it is', async () => {
    const { agent } = stage();
    await agent.runTurn((turn) => {
      const tool = { name: 'hosted' };
      const hold = () => ({ release: () => undefined });
      const calls = { turn, dialect: openaiChat, options: {}, answered: new Set<string>(), hold };
      expect(turnTools([tool], calls, undefined)).toEqual([tool]);
    });
  });
});

describe('a question before a call', () => {
  it.each([undefined, {}, { block: false }])('that is answered with %j lets it run', async (answer) => {
    const { report } = await withTool(
      () => value,
      (execute) => execute('x', {}),
      () => answer,
    );
    expect(report.unwrap()).toBe(value);
  });

  it.each([
    [{ block: true, reason: 'not on Fridays' }, 'not on Fridays'],
    [{ block: true, reason: 7 }, undefined],
  ])('that is answered with %j declines it', async (answer, userMessage) => {
    const { report } = await withTool(
      () => value,
      (execute) => tellOf(execute('x', {})),
      () => answer,
    );
    expect(report.calls).toMatchObject([{ status: 'declined', ...(userMessage === undefined ? {} : { userMessage }) }]);
  });

  it('that throws fails it', async () => {
    const error = new Error('no terminal');
    const { report } = await withTool(
      () => value,
      (execute) => tellOf(execute('x', {})),
      () => Promise.reject(error),
    );
    expect(report.calls).toMatchObject([{ status: 'failed', error }]);
  });

  it('ends with the stop, hears it, and the one behind it is never shown', async () => {
    const shown: AbortSignal[] = [];
    const asked = deferred();
    const { report } = await withTool(
      () => value,
      async (execute, agent) => {
        const running = [tellOf(execute('x', {})), tellOf(execute('y', {}))];
        await asked.promise;
        agent.cancel('user');
        await Promise.all(running);
        await tick();
      },
      (_question, signal) => {
        if (signal !== undefined) shown.push(signal);
        asked.resolve();
        return new Promise(() => undefined);
      },
    );
    expect(report.calls.map(({ status }) => status)).toEqual(['not-started', 'not-started']);
    expect(shown.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('is asked when the one before it is answered', async () => {
    const open: ((answer: unknown) => void)[] = [];
    const before = (): Promise<unknown> => new Promise((resolve) => open.push(resolve));
    const { report } = await withTool(
      () => value,
      async (execute) => {
        const running = [execute('x', {}), execute('y', {})];
        await tick();
        expect(open).toHaveLength(1);
        open[0]?.(undefined);
        await tick();
        expect(open).toHaveLength(2);
        open[1]?.(undefined);
        await Promise.all(running);
      },
      before,
    );
    expect(report.calls.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });
});

describe('a call that the loop left out after a stop', () => {
  it('S02 has its row, and the model reads that; what has begun, and all else, stays as it is', async () => {
    const { agent } = stage();
    const said = (toolCallId: string) => ({
      ...{ role: 'toolResult', toolCallId, toolName: 'rm' },
      content: [textPart('Operation aborted')],
    });
    const messages = [{ role: 'assistant', content: [] }, said('a'), said('b')];
    let told: readonly object[] = [];
    const report = await agent.runTurn(async (turn) => {
      agent.cancel('user');
      told = await tellUnbegun(messages, { turn, dialect: openaiChat, answered: new Set(['a']) });
    });
    expect(report.calls).toMatchObject([{ id: 'b', name: 'rm', status: 'not-started' }]);
    expect(told.slice(0, 2)).toEqual(messages.slice(0, 2));
    expect(JSON.stringify(told[2])).toContain('was not started');
  });
});
