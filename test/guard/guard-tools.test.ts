import { describe, expect, it, vi } from 'vitest';

import { CancellationTokenSource, type Turn } from '../../src/index.ts';
import { guardTool, guardTools, type GuardOptions } from '../../src/guard/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { deaf, errorOf, stage, tick } from '../core/interrupt/kit.ts';

interface Given {
  readonly signal: AbortSignal;
}

describe('guardTool', () => {
  const slow = { name: 'slow', execute: (_input: object, _given: object) => deaf() };
  const words: GuardOptions = { graceMs: 20, dialect: openaiChat, toResult: (text) => [text] };

  it.each<[string, GuardOptions, GuardOptions]>([
    ['by the first', words, {}],
    ['by the second', {}, words],
    ['by both, the second counts', { graceMs: 5000, toResult: () => 'none', dialect: openaiChat }, words],
  ])('guardTool of a guarded tool has the options that were given %s', async (_who, first, second) => {
    const { agent, clock } = stage();
    const twice = guardTool(guardTool(slow, first), second);
    const running = agent.runTurn(({ signal }) => twice.execute({}, { signal, toolCallId: 'a' }));
    await tick();
    agent.cancelCall('a', 'user');
    await clock.advance(20);
    const report = await running;
    expect([report.status, report.calls.map(({ status }) => status)]).toEqual(['completed', ['unknown']]);
    expect(report.unwrap()).toEqual([expect.stringContaining('may still complete')]);
  });

  it.each([
    ['the words of the dialect, for a text', 'partial 3 of 9', /^partial 3 of 9[^]*stop/],
    ['its JSON and the words, for data', { rows: 3 }, /^{"rows":3}\n[^]*stop/],
    ['the words, for nothing', undefined, /^This call returned after/],
  ])('guardTool gives of a result that came after the stop of its call %s', async (_what, value, expected) => {
    const { agent } = stage();
    const late = { name: 'late', execute: async (_input: object, _given: object) => {
      agent.cancelCall('a', 'user');
      return await Promise.resolve(value);
    } }; // prettier-ignore
    const report = await agent.runTurn(({ signal }) =>
      guardTool(late, { dialect: openaiChat }).execute({}, { signal, toolCallId: 'a' }),
    );
    expect(report.calls).toMatchObject([{ status: 'completed', value, afterStop: true }]);
    expect(report.unwrap()).toMatch(expected);
  });

  class Base {}
  Object.assign(Base.prototype, { tools: [{ run: () => 1 }] });
  class Inherits extends Base {
    name = 'fs';
  }
  const ring: Record<string, object> = { read: { call: () => 1 } };
  ring['tools'] = ring;

  it.each<[string, Readonly<Record<string, object>> | readonly object[], string | undefined]>([
    ['a set', { files: { read: { execute: () => 1 } } }, '"read"'],
    ['a list', { files: [{ invoke: () => 1 }] }, '"0"'],
    ['a set whose tools have names of fields', { files: { title: { run: () => 1 } } }, '"title"'],
    ['a set in a set', { files: { v1: { read: { execute: () => 1 } } } }, '"v1.read"'],
    ['a set of a list', [{ name: 'files', read: { run: () => 1 } }], '"read"'],
    ['a set with a name', [{ type: 'set', name: 'files', tools: [{ run: () => 1 }] }], '"tools.0"'],
    ['a set whose tools have names of hooks', [{ name: 'files', tools: { toPdf: { run: () => 1 } } }], '"tools.toPdf"'],
    [
      'a set whose tools have names of schemas',
      [{ name: 'files', tools: { parameters: { run: () => 1 } } }],
      '"tools.parameters"',
    ],
    ['a map', [{ name: 'files', tools: new Map([['onSave', () => 1]]) }], '"tools.0.1"'],
    ['the keys of a map', [{ name: 'files', tools: new Map([[{ run: () => 1 }, 1]]) }], '"tools.0.0"'],
    ['a Set', { files: { name: 'fs', tools: new Set([{ run: () => 1 }]) } }, '"tools.0"'],
    ['an iterable', { files: { name: 'fs', tools: { *[Symbol.iterator]() { yield { run: () => 1 }; } } } }, '"tools.Symbol(Symbol.iterator)"'], // prettier-ignore
    ['what a symbol names', { files: { name: 'fs', [Symbol('own')]: [{ run: () => 1 }] } }, '"Symbol(own).0"'],
    ['a class with a getter', { files: new (class { name = 'fs'; get tools() { return []; } })() }, '"tools"'], // prettier-ignore
    ['a class that inherits them', { files: new Inherits() }, '"tools.0"'],
    ['instances', [{ name: 'files', tools: [new (class { invoke = vi.fn() })()] }], '"tools.0"'], // prettier-ignore
    ['a ring', { files: ring }, '"read"'],
    [
      'what the SDK of OpenAI runs',
      [{ type: 'function', function: { name: 'files', parameters: {}, parse: JSON.parse, function: () => 1 } }],
      '"function.function"',
    ],
    ['a set of functions that have names of hooks', { files: { toPdf: () => 1, isPdf: () => 1 } }, undefined],
    ['a set that is guarded', { files: { description: guardTool({ run: () => 1 }) } }, undefined],
    ['a set whose tools are called as schemas are', { files: { parameters: { run: () => 1 } } }, undefined],
    ['nothing at all', { files: {} }, undefined],
  ])('guardTools refuses %s in what it is given', (_what, tools, names) => {
    const why = names === undefined ? 'and it declares no tool' : `which has ${names} and no execute`;
    expect(() => guardTools(tools)).toThrow(TypeError);
    expect(() => guardTools(tools)).toThrow(`nothing of "files" would be guarded, ${why}`);
  });

  it('guardTools passes on a tool whose schemas have methods, or in which all is guarded', () => {
    const schema = { description: 'Reads.', inputSchema: { run: () => 1 }, parameters: { call: () => 1 } };
    const shell = { type: 'shell', shell: guardTool({ run: () => 1 }) };
    expect(guardTools([schema, shell])).toEqual([schema, shell]);
  });

  it('guardTool of a tool that was guarded for another turn is not of that turn', async () => {
    const { agent } = stage();
    const tool = { name: 'note', execute: (_input: object, _given: object) => Promise.resolve('noted') };
    let earlier = tool;
    await agent.runTurn((turn) => void (earlier = guardTool(tool, { turn })));
    const report = await agent.runTurn(({ signal }) => guardTool(earlier).execute({}, { signal }));
    expect(report.calls).toMatchObject([{ status: 'completed', value: 'noted' }]);
  });

  it.each(['execute', 'invoke', 'call', 'run', 'runAsync', 'handler'] as const)(
    'guardTool guards %s, and nothing else',
    async (method) => {
      const { agent } = stage();
      const other = (): string => 'other';
      const run = (query: string, _given: Given): Promise<string> => Promise.resolve(`${query}!`);
      const tool: { name: string; other: () => string } & Partial<Record<typeof method, typeof run>> = {
        name: 'search',
        other,
        [method]: run,
      };
      const guarded = guardTool(tool);
      expect(guarded.other).toBe(other);
      const report = await agent.runTurn(({ signal }) => guarded[method]?.('x', { signal }));
      expect(report.unwrap()).toBe('x!');
      expect(report.calls).toMatchObject([{ name: 'search', status: 'completed', value: 'x!' }]);
    },
  );

  it('guardTool guards a function, and an async generator', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ signal }) => {
      const said = await guardTool(async function handler(_args: object, _extra: Given) { return Promise.resolve('said'); })({}, { signal }); // prettier-ignore
      const told: number[] = [];
      const tail = guardTool({ execute: async function* (_given: Given) { yield await Promise.resolve(1); } }); // prettier-ignore
      for await (const piece of tail.execute({ signal })) told.push(piece);
      return [said, ...told];
    });
    expect(report.unwrap()).toEqual(['said', 1]);
    expect(report.calls.map(({ name }) => name)).toEqual(['handler', 'tool']);
  });

  it('guardTool is guarded once, with the options that came last', async () => {
    const { agent, clock } = stage();
    const tool = { id: 'wait', run: (_given: Given) => deaf() };
    const twice = guardTool(guardTool(tool), { graceMs: 5 });
    const turn = agent.runTurn(({ signal }) => errorOf(twice.run({ signal })));
    agent.cancel();
    await clock.advance(5);
    expect((await turn).calls).toMatchObject([{ name: 'wait', status: 'unknown', ms: 5 }]);
  });

  it('guardTool guards a copy of a guarded tool once, and one that has its method', async () => {
    const { agent } = stage();
    const pay = guardTool({ name: 'pay', run: (_given: Given) => Promise.resolve('paid') });
    const report = await agent.runTurn(async ({ signal }) => {
      for (const tool of [pay, { ...pay, name: 'copy' }, { name: 'other', run: pay.run }])
        await guardTool(tool).run({ signal });
    });
    expect(report.calls.map(({ name }) => name)).toEqual(['pay', 'copy', 'other']);
  });

  it.each([
    [{}, TypeError, 'a tool must have execute, invoke, call, run, runAsync, handler, got an instance of Object'],
    [{ run: 'x' }, TypeError, 'got an instance of Object'],
  ])('guardTool refuses %o', (tool, type, text) => {
    const guard = () => guardTool(tool);
    expect(guard).toThrow(type);
    expect(guard).toThrow(text);
  });

  it.each<[GuardOptions, string]>([
    [null as never, 'options must be an object, got null'],
    [{ identify: 'id' as never }, 'identify must be a function, got "id"'],
    [{ graceMs: -1 }, 'graceMs must be 0 or more milliseconds, got -1'],
    [{ onInterject: 'later' as never }, 'got "later"'],
    [{ turn: 1 as unknown as Turn }, 'turn must be a turn of runTurn(), got 1'],
    [{ turn: new CancellationTokenSource() as never }, 'turn must be a turn of runTurn(), got'],
    [{ turn: new CancellationTokenSource().token.child() as never }, 'turn must be a turn of runTurn(), got'],
  ])('guardTool refuses options that make no sense: %o', (options, text) => {
    expect(() => guardTool({ run: () => 1 }, options)).toThrow(text);
    expect(() => guardTools({}, options)).toThrow(text);
  });
});

describe('guardTools', () => {
  it('names the tools of a record by their keys, and passes on what has nothing to run', async () => {
    const { agent } = stage();
    const provider = { type: 'provider' };
    const set = { read: { name: 'other', execute: (_given: Given) => 'text' }, provider };
    const guarded = guardTools(set);
    expect(guarded.provider).toBe(provider);
    const report = await agent.runTurn(({ signal }) => guarded.read.execute({ signal }));
    expect(report.calls.map(({ name }) => name)).toEqual(['read']);
  });

  it('guardTools takes a list, in its order', async () => {
    const { agent } = stage();
    const list = ['a', 'b'].map((name) => ({ name, invoke: (_given: Given) => Promise.resolve(name) }));
    const guarded = guardTools(list);
    const report = await agent.runTurn(({ signal }) => Promise.all(guarded.map((tool) => tool.invoke({ signal }))));
    expect(report.unwrap()).toEqual(['a', 'b']);
    expect(report.calls.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('guardTools refuses anything else', () => {
    expect(() => guardTools('tools' as never)).toThrow('tools must be a record or an array, got "tools"');
    const tool = { run: () => 1 };
    for (const bad of [new Map([['read', tool]]), new Set([tool]), [tool].values(), Promise.resolve({ read: tool })]) {
      expect(() => guardTools(bad as never)).toThrow(/^tools must be a record or an array, got an instance of /);
    }
  });
});

describe('a tool that is called by no name that a guard knows', () => {
  class Tool {
    get secret(): () => void {
      throw new Error('asked');
    }
    perform(): void {}
  }

  it.each<[string, object, string]>([
    ['a literal', { describe: () => '', perform: () => 1 }, '"describe", "perform"'],
    ['an instance', new Tool(), '"secret", "perform"'],
    ['one that inherits it', new (class extends Tool {})(), '"secret", "perform"'],
    ['one without a prototype', Object.assign(Object.create(null) as object, { perform: () => 1 }), '"perform"'],
  ])('%s with methods of which none is guarded is refused, with their names', (_what, tool, names) => {
    const refusal = new RegExp(`^nothing of "pay" would be guarded, which has ${names} and no execute`);
    expect(() => guardTools({ pay: tool })).toThrow(refusal);
    expect(() => guardTools([Object.assign(tool, { name: 'pay' })])).toThrow(refusal);
  });

  it.each<[string, object]>([
    [
      'of the provider, whose schema has names of methods',
      { type: 'function', function: { name: 'x', parameters: { properties: { run: { type: 'string' } } } } },
    ],
    [
      'of the client, as the AI SDK has it',
      { inputSchema: () => ({}), onInputAvailable: () => 1, toModelOutput: () => '' },
    ],
    [
      'of a computer, as OpenAI Agents has it',
      { type: 'computer', computer: () => ({}), needsApproval: async () => true },
    ],
    [
      'of the provider, which asks before its calls',
      { type: 'hosted_tool', providerData: { type: 'mcp', on_approval: async () => ({ approve: true }) } },
    ],
    [
      'of the provider, to which its SDK has added what nobody lists, as the AI SDK does',
      Object.defineProperty({ type: 'provider', name: 'x' }, 'caller', { value: { prepare: () => 1 } }),
    ],
    [
      'of the provider, which holds instances as data',
      { type: 'search', sites: [new URL('https://a.example')], since: new Date(0), only: /x/u, days: new Set(['Mon']) },
    ],
    ['of a class, which says by getters what it is', new (class { get type() { return 'search'; } })()], // prettier-ignore
  ])('what is only told and asked passes: a tool %s', (_what, tool) => {
    expect(guardTools([tool])).toEqual([tool]);
  });
});

it('an option that there is not is refused, and the refusal names those that there are', () => {
  for (const name of ['dialekt', 'within', 'onTold']) {
    expect(() => guardTool(() => 1, { [name]: 'x' })).toThrow(
      `options.${name} is no option: there are turn, graceMs, onInterject, aside, identify, dialect, toResult`,
    );
  }
});

it.each<[string, (signal: AbortSignal, other: AbortSignal) => unknown[]]>([
  ['in a later argument', (signal, other) => [{ signal }, { signal: other }]],
  ['under another name', (signal, other) => [{ signal, abortSignal: other }]],
])('a call finds its turn also where another signal stands beside it, %s', async (_where, argsOf) => {
  const { agent } = stage();
  const run = vi.fn(async (..._args: unknown[]) => Promise.resolve('paid'));
  const pay = guardTool({ name: 'pay', run });
  const report = await agent.runTurn(async ({ signal }) => {
    agent.cancel('user');
    await pay.run({}, ...argsOf(signal, new AbortController().signal)).catch(() => undefined);
  });
  expect([run.mock.calls.length, report.calls.map(({ status }) => status)]).toEqual([0, ['not-started']]);
});

it.each<[string, object]>([
  ['no id', {}],
  ['the id that it was given', { toolCallId: 'a' }],
])('a tool that calls itself with %s has a row for each call', async (_what, ids) => {
  const { agent } = stage();
  type Input = { path: string; children?: string[] };
  const rm = guardTool({
    name: 'rm',
    run: async ({ children = [] }: Input, options: object): Promise<void> => {
      for (const path of children) await rm.run({ path }, options);
    },
  });
  const { calls } = await agent.runTurn(({ signal }) =>
    rm.run({ path: '/', children: ['/a', '/b'] }, { signal, ...ids }),
  );
  expect(calls.map(({ call }) => (call as { input: Input }).input.path).sort()).toEqual(['/', '/a', '/b']);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
});

it.each([
  Object.seal,
  Object.preventExtensions,
  (it: object) => Object.defineProperty(it, 'signal', { configurable: false, writable: false }),
])('what a tool writes into a literal that holds the signal is there: %o', async (make) => {
  const { agent } = stage();
  const tool = guardTool({
    name: 't',
    run: (_input: object, context: { result: number }) => void (context.result = 42),
  });
  let given = { result: 0 };
  await agent.runTurn(({ signal }) => {
    given = make({ signal, result: 0 }) as typeof given;
    tool.run({}, given);
  });
  expect(given.result).toBe(42);
});
