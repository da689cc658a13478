import { describe, expect, it } from 'vitest';

import { rowOfCall } from '../../src/guard/row-of-call.ts';
import { callGuarded } from '../../src/guard/guarded-call.ts';
import { stage } from '../core/interrupt/kit.ts';

const { signal } = new AbortController();
const messages = Array.from({ length: 100 }, (_, i) => ({ role: 'user', content: String(i).repeat(100) }));

class RunContext {
  readonly context = { messages };
  readonly turns = 3;
}

const argsOf = (...args: unknown[]): readonly unknown[] => rowOfCall('a', 'read', args).args;

describe('what the row of a guarded call keeps', () => {
  it('is the input, and of the options what is short', () => {
    const input = { path: 'a.txt', deep: [{ n: 1 }] };
    const options = { toolCallId: 'a', messages, abortSignal: signal, experimental_context: { messages } };
    expect(argsOf(input, options)).toEqual([input, { toolCallId: 'a' }]);
    expect(argsOf(input, options)[0]).toBe(input);
    expect(argsOf(input, { signal, configurable: { messages }, depth: 2 })).toEqual([input, { depth: 2 }]);
    expect(argsOf(input, { toolCall: { id: 'a', messages } })).toEqual([input, {}]);
  });

  it('is all that is data, whatever stands first', () => {
    const whole = { type: 'tool_call', id: 'a', args: { path: 'a.txt' } };
    expect(argsOf('id', { n: { m: 1 } }, signal, [1])).toEqual(['id', { n: { m: 1 } }, {}, [1]]);
    expect(argsOf(whole, { signal })).toEqual([whole, {}]);
    expect(argsOf({ signal, path: { of: 1 } })).toEqual([{ signal, path: { of: 1 } }]);
    expect(argsOf(new Date(0), null, undefined)).toEqual([new Date(0), null, undefined]);
  });

  it('is no context of a framework, and no getter is asked', () => {
    const getting = Object.defineProperty({ signal }, 'state', {
      enumerable: true,
      get() {
        throw new Error('asked');
      },
    });
    expect(argsOf(new RunContext(), '{"n":1}', getting)).toEqual([{ turns: 3 }, '{"n":1}', {}]);
  });

  it('is what the package itself has put into the options', () => {
    const key = Symbol.for('desist.modelOutput');
    const shown = (): string => 'shown';
    const options = Object.defineProperty({ signal, messages }, key, { value: shown });
    expect((argsOf('in', options)[1] as { [key]: unknown })[key]).toBe(shown);
  });

  it('says that it tells of this call alone', () => {
    expect(rowOfCall('a', 'read', [])).toEqual({ id: 'a', name: 'read', args: [], isSingle: true });
  });

  it('does not grow with the conversation', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const options = { toolCallId: 'a', abortSignal: turn.signal, messages };
      await callGuarded({ name: 'read', args: [{ n: 1 }, options], options: {}, run: () => 'done' });
    });
    expect(JSON.stringify(report.calls[0]?.call)).toBe(
      '{"id":"a","name":"read","args":[{"n":1},{"toolCallId":"a"}],"isSingle":true}',
    );
  });
});
