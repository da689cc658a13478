import { describe, expect, it } from 'vitest';

import { rowOfCall } from '../../src/guard/row-of-call.ts';
import { callGuarded } from '../../src/guard/guarded-call.ts';
import { stage } from '../core/interrupt/kit.ts';

const { signal } = new AbortController();
const messages = Array.from({ length: 100 }, (_, i) => ({ role: 'user', content: String(i).repeat(100) }));

const secret = { password: 'hunter2' };

class RunContext {
  readonly context = secret;
  readonly turns = 3;
}

const inputOf = (...args: unknown[]): unknown => rowOfCall({ id: 'a', name: 'read', args, identified: 'a' }).input;

describe('the input in the row of a guarded call', () => {
  it.each<[string, unknown[], unknown]>([
    ['AI SDK', [{ n: 1 }, { toolCallId: 'a', messages, abortSignal: signal, experimental_context: secret }], { n: 1 }],
    [
      'OpenAI Agents',
      [new RunContext(), '{"n":1}', { signal, toolCall: { callId: 'a', arguments: '{"n":1}' } }],
      '{"n":1}',
    ],
    ['OpenAI Agents, without details', [new RunContext(), '{"n":1}'], undefined],
    ['LangChain', [{ n: 1 }, { signal, configurable: secret, toolCall: { id: 'a', args: { n: 1 } } }], { n: 1 }],
    ['a state of LangGraph', [{ messages }, { toolCall: { id: 'a', args: { n: 1 } } }], { n: 1 }],
    ['a call of LangChain', [{ type: 'tool_call', id: 'a', name: 'read', args: { n: 1 } }, secret], { n: 1 }],
    ['MCP', [{ n: 1 }, { requestId: 1, signal, authInfo: secret }], { n: 1 }],
    ['MCP, without input', [{ requestId: 1, signal, authInfo: secret }], undefined],
    ['MCP 2, without input', [{ mcpReq: { id: 1, signal }, http: { authInfo: secret } }], undefined],
    ['a request of MCP', [{ method: 'tools/call', params: { name: 'x', arguments: { n: 1 } } }, { signal }], { n: 1 }],
    ['a request of MCP without arguments', [{ method: 'tools/call', params: { name: 'x' } }, { signal }], {}],
    ['Mastra', [{ n: 1 }, { abortSignal: signal, agent: { toolCallId: 'a' }, mastra: secret }], { n: 1 }],
    ['Mastra before 1', [{ context: { n: 1 }, runtimeContext: new Map(), runId: 'r' }, { toolCallId: 'a' }], { n: 1 }],
    ['pi', ['a', { n: 1 }, signal], { n: 1 }],
  ])('the input is what the model asked for, of the arguments of %s', (_of, args, input) => {
    expect(inputOf(...args)).toEqual(input);
  });

  it.each<[string, unknown[], unknown]>([
    ['an object', [{ n: { m: 1 } }], { n: { m: 1 } }],
    ['an object, without the options behind it', [{ n: 1 }, secret, 'sk-1'], { n: 1 }],
    [
      'an object, without the parts that no model sends',
      [{ n: 1, db: new RunContext(), done() {}, signal: 1 }],
      { n: 1, signal: 1 },
    ],
    [
      'an object that is named like a context of a framework',
      [{ runtimeContext: {}, context: 1 }],
      { runtimeContext: {}, context: 1 },
    ],
    ['nothing, of a tool without parameters that is given a context', [undefined, secret], undefined],
    [
      'an object, without the parts that no model sends at any depth',
      [{ q: 1, deps: { db: new RunContext(), at: [1, new RunContext(), { f() {}, n: 2 }] } }],
      { q: 1, deps: { at: [1, { n: 2 }] } },
    ],
    ['an object that has ids of its own', [{ toolCallId: 'b', requestId: 7 }], { toolCallId: 'b', requestId: 7 }],
    ['one value', ['Ann', signal], 'Ann'],
    ['a list', [[1, 2]], [1, 2]],
    ['one value, without what stands behind it', ['Ann', 'sk-1', { signal }], 'Ann'],
    ['a list, without what stands behind it', [['a'], 'sk-1', { signal }], ['a']],
    ['one value that is like an id of a framework', ['1', secret, { signal, requestId: 1 }], '1'],
    ['nothing, behind a context of the program', [new RunContext(), secret, { signal }], undefined],
    ['nothing, of an object that holds a signal', [{ signal, path: 'a' }], undefined],
    ['nothing, of an instance of a class', [new RunContext()], undefined],
    ['nothing', [], undefined],
  ])('the input of a plain function is %s', (_what, args, input) => {
    expect(inputOf(...args)).toEqual(input);
  });

  it('the input is what was asked for, whatever the tool fills in', () => {
    const input = { path: 'a.txt', deep: [{ n: 1 }], later: { call: () => undefined, token: '' } };
    const rows = [{ path: 'a.txt', deep: [{ n: 1 }] }, input].map((given) => {
      const row = inputOf(given, { signal });
      Object.assign(given, { token: 'SECRET' });
      given.deep.push({ n: 2 });
      return row;
    });
    expect(rows[0]).toEqual({ path: 'a.txt', deep: [{ n: 1 }] });
    // What cannot be copied as a whole is copied at its top.
    expect(rows[1]).not.toHaveProperty('token');
  });

  it('the input is found without asking a getter', () => {
    const getting = Object.defineProperty({ n: 1 }, 'state', {
      enumerable: true,
      get() {
        throw new Error('asked');
      },
    });
    expect(Object.keys(inputOf(getting, { signal }) as object)).toEqual(['n', 'state']);
  });
});

describe('the row of a guarded call', () => {
  it('the row keeps what the package itself has put into the options', () => {
    const key = Symbol.for('desist.modelOutput');
    const shown = (): string => 'shown';
    const options = Object.defineProperty({ signal, messages }, key, { value: shown });
    expect((rowOfCall({ id: 'a', name: 'read', args: ['in', options] }) as { [key]?: unknown })[key]).toBe(shown);
  });

  it('the row says that it tells of this call alone', () => {
    expect(rowOfCall({ id: 'a', name: 'read', args: [] })).toEqual({
      id: 'a',
      name: 'read',
      input: undefined,
      isSingle: true,
    });
  });

  it('the row does not grow with the conversation', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const options = { toolCallId: 'a', abortSignal: turn.signal, messages };
      await callGuarded({ name: 'read', args: [{ n: 1 }, options], options: {}, run: () => 'done' });
    });
    expect(JSON.stringify(report.calls[0]?.call)).toBe('{"id":"a","name":"read","input":{"n":1},"isSingle":true}');
  });
});
