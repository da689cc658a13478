/** A result that the model may see in a form of its tool's own is not shown to it in any other after a stop. */
import { describe, expect, it } from 'vitest';
import { underTurn } from '../../../../src/adapters/ai-sdk/index.ts';
import { aiSDK, aiSDKUI } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { repair } from '../../../../src/transcript/index.ts';
import { lateNote } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { stage, tick } from '../../../core/interrupt/kit.ts';
import { repairReport } from '../../../transcript/support/repair-report.ts';
import { repairWith } from '../../../transcript/support/repair-with.ts';

type ToModelOutput = (given: { toolCallId: string; input: unknown; output: unknown }) => unknown;

const masked = { type: 'text', value: 'balance: ***' };
const words = 'This call completed. What it returned could not be put into the form that you may see.';

const looking = [
  { role: 'user' as const, content: 'Look.' },
  {
    role: 'assistant' as const,
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { of: 1 } }],
  },
];

/** Runs one call, stops, and returns what the model is told, with what the tool was asked. */
async function toldOf(toModelOutput: ToModelOutput, { stopsFirst = false, goesOn = false } = {}) {
  const { agent } = stage();
  const asked: object[] = [];
  const tool = {
    execute: (_input: unknown, _options: { toolCallId: string; abortSignal?: AbortSignal }) => {
      if (stopsFirst) agent.cancel('user');
      return Promise.resolve('balance: 4711');
    },
    toModelOutput(given: Parameters<ToModelOutput>[0]): unknown {
      asked.push(given);
      return toModelOutput(given);
    },
  };
  const report = await agent.runTurn(async (turn) => {
    const { tools, abortSignal } = underTurn(turn, { tools: { look: tool }, abortSignal: undefined as never });
    const output = await tools.look.execute({ of: 1 }, { toolCallId: 'c1', abortSignal });
    if (goesOn) await tools.look.toModelOutput({ toolCallId: 'c1', input: { of: 1 }, output });
    agent.cancel('user');
    turn.checkpoint();
  });
  const messages = repairReport(looking, report, { dialect: aiSDK }).messages;
  return { messages, asked, status: report.calls[0]?.status };
}

function outputIn(messages: readonly unknown[]): unknown {
  return (messages.at(-1) as { content?: { output?: unknown }[] } | undefined)?.content?.[0]?.output;
}

describe('the form that the model may see', () => {
  it('is asked for once, of a call that completed before the stop', async () => {
    const told = await toldOf(() => masked);
    expect(outputIn(told.messages)).toEqual(masked);
    expect(told.asked).toEqual([{ toolCallId: 'c1', input: { of: 1 }, output: 'balance: 4711' }]);
    expect(JSON.stringify(told.messages)).not.toContain('4711');
  });

  it('is asked for of a call that completed after it', async () => {
    const told = await toldOf(() => masked, { stopsFirst: true });
    expect([told.status, outputIn(told.messages)]).toEqual(['completed', masked]);
    expect(told.asked).toHaveLength(1);
  });

  it('is that of the value of a call that came after a stop of its own', async () => {
    const { agent } = stage();
    const asked: unknown[] = [];
    const tool = {
      inputSchema: {},
      execute: async (_input: object, _options: object) => {
        agent.cancelCall('c1', 'user');
        await tick();
        return 'balance: 4711';
      },
      toModelOutput: ({ output }: { readonly output: unknown }) => (asked.push(output), masked),
    };
    const report = await agent.runTurn(async (turn) => {
      const settings = { tools: { look: tool }, abortSignal: undefined as never };
      const { tools, abortSignal } = underTurn(turn, settings, { dialect: aiSDK });
      await tools.look.execute({ of: 1 }, { toolCallId: 'c1', abortSignal, messages: [] });
      agent.cancel('user');
      turn.checkpoint();
    });
    expect(asked).toEqual(['balance: 4711']);
    expect(outputIn(repairReport(looking, report, { dialect: aiSDK }).messages)).toEqual(masked);
  });

  it('may come later', async () => {
    expect(outputIn((await toldOf(async () => Promise.resolve(masked))).messages)).toEqual(masked);
  });

  it('is the one that the SDK was given, if it had asked', async () => {
    const told = await toldOf(() => masked, { goesOn: true });
    expect([outputIn(told.messages), told.asked.length]).toEqual([masked, 1]);
  });

  it('is that of the last part of a stream', async () => {
    const { agent } = stage();
    const tool = {
      async *execute(_input: object, _options: object): AsyncGenerator<string> {
        yield await Promise.resolve('one');
        yield 'two';
      },
      toModelOutput: ({ output }: { output: string }) => ({ type: 'text', value: `<${output}>` }),
    };
    const report = await agent.runTurn(async (turn) => {
      const { tools } = underTurn(turn, { tools: { look: tool } });
      const parts = tools.look.execute({}, { toolCallId: 'c1', abortSignal: turn.signal });
      for await (const part of parts) void part;
      agent.cancel('user');
      turn.checkpoint();
    });
    const { messages } = repairReport(looking, report, { dialect: aiSDK });
    expect(outputIn(messages)).toEqual({ type: 'text', value: '<two>' });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no form');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no form'))],
    ['never ends', () => new Promise(() => undefined)],
  ])('of a tool whose form %s is words, and nothing waits for it', async (_what, toModelOutput) => {
    const told = await toldOf(toModelOutput);
    expect(outputIn(told.messages)).toEqual({ type: 'text', value: words });
    expect(JSON.stringify(told.messages)).not.toContain('4711');
  });
});

describe('what a tool gives before its end', () => {
  /** A stream that is stopped behind its first part: the turn's report. */
  async function stopped(graceMs: number, ignoresStop = false) {
    const { agent, clock } = stage({ graceMs });
    const end = deferred<string>();
    // A tool that is closed at its first part never waits for it.
    end.promise.catch(() => undefined);
    const tool = {
      async *execute(_input: object, _options: object): AsyncGenerator<string> {
        yield await Promise.resolve('PAGE-ONLY');
        yield await end.promise;
      },
      toModelOutput: ({ output }: { output: string }) => ({ type: 'text', value: `${String(output.length)} signs` }),
    };
    const running = agent.runTurn(async (turn) => {
      const { tools } = underTurn(turn, { tools: { look: tool } });
      const parts = tools.look.execute({}, { toolCallId: 'c1', abortSignal: turn.signal });
      for await (const part of parts) {
        void part;
        agent.cancel('user');
        if (ignoresStop) void clock.advance(graceMs);
        else end.reject(turn.signal.reason);
      }
    });
    await clock.advance(graceMs * 2);
    return { report: await running, agent, end };
  }

  it('is not told, as the SDK tells it to no model', async () => {
    const { report } = await stopped(10);
    expect(report.calls).toMatchObject([{ partial: 'PAGE-ONLY' }]);
    const { messages } = repairReport(looking, report, { dialect: aiSDK });
    expect(JSON.stringify(messages)).not.toContain('PAGE-ONLY');
  });

  it('is not told in a chat either', async () => {
    const { report } = await stopped(10);
    const call = { type: 'tool-look', toolCallId: 'c1', state: 'output-available', preliminary: true, input: {} };
    const chat = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Look.' }] },
      { id: 'm', role: 'assistant', parts: [{ ...call, output: 'PAGE-ONLY' }] },
    ] as const;
    const settled = repairWith(chat, { dialect: aiSDKUI, outcomes: report.calls }).messages;
    expect(settled[1]?.parts[0]).toMatchObject({ state: 'output-error' });
    expect(JSON.stringify(settled)).not.toContain('PAGE-ONLY');
    // Without the report nothing says so.
    expect(JSON.stringify(repair(chat, { dialect: aiSDKUI }))).toContain('PAGE-ONLY');
  });
});

it('a value of a chat stays as it is', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    const tool = { execute: (_input: object, _options: object) => Promise.resolve(1), toModelOutput: () => masked };
    await underTurn(turn, { tools: { look: tool } }).tools.look.execute(
      {},
      { toolCallId: 'c1', abortSignal: turn.signal },
    );
    agent.cancel('user');
    turn.checkpoint();
  });
  const part = { type: 'tool-look', toolCallId: 'c1', state: 'input-available', input: {} };
  const chat = [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Look.' }] },
    { id: 'm', role: 'assistant', parts: [part] },
  ] as const;
  const { messages } = repairWith(chat, { dialect: aiSDKUI, outcomes: report.calls });
  expect(messages[1]?.parts[0]).toMatchObject({ state: 'output-available', output: 1 });
});

it('a note of what ended late tells the form that the model may see', async () => {
  const { agent, clock } = stage({ graceMs: 10 });
  const end = deferred<object>();
  const running = agent.runTurn(async (turn) => {
    const tool = {
      execute: (_input: object, _options: object) => end.promise,
      toModelOutput: async () => Promise.resolve(masked),
    };
    const { tools } = underTurn(turn, { tools: { look: tool } });
    const called = tools.look.execute({}, { toolCallId: 'c1', abortSignal: turn.signal });
    agent.cancel('user');
    await called;
  });
  await clock.advance(20);
  expect((await running).calls).toMatchObject([{ status: 'unknown' }]);
  end.resolve({ session: 'SECRET' });
  await tick();
  expect(agent.takeLateOutcomes().map(lateNote)).toEqual([expect.stringMatching(/Result: balance: \*{3}]$/)]);
});

it('a render of the application goes before it', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    const tool = { execute: (_input: object, _options: object) => Promise.resolve(1), toModelOutput: () => masked };
    const { tools } = underTurn(turn, { tools: { look: tool } });
    await tools.look.execute({}, { toolCallId: 'c1', abortSignal: turn.signal });
    agent.cancel('user');
    turn.checkpoint();
  });
  const render = (): unknown => ({ type: 'text', value: 'mine' });
  const { messages } = repairReport(looking, report, { dialect: aiSDK, render });
  expect(JSON.stringify(messages)).toContain('mine');
});

it('tools that come back from a hook are wrapped once', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    const tool = { execute: (_input: object, _options: object) => Promise.resolve(1), toModelOutput: () => masked };
    const first = underTurn(turn, { tools: { look: tool, plain: { inputSchema: {} } } });
    const { tools } = underTurn(turn, { tools: first.tools });
    await tools.look.execute({}, { toolCallId: 'c1', abortSignal: turn.signal });
  });
  expect(report.calls.map(({ id, status }) => `${id} ${status}`)).toEqual(['c1 completed']);
});

it('words about a call are no result that its tool has a form for', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    const tool = {
      execute: (_input: object, { abortSignal }: { readonly abortSignal: AbortSignal }): Promise<object> => {
        agent.cancelCall('c1', 'user');
        return Promise.reject(abortSignal.reason as Error);
      },
      toModelOutput: ({ output }: { readonly output: { readonly rows?: readonly object[] } }) => ({
        type: 'text',
        value: `${String(output.rows?.length)} rows`,
      }),
    };
    const { tools } = underTurn(turn, { tools: { look: tool } }, { dialect: aiSDK });
    const output = await tools.look.execute({}, { toolCallId: 'c1', abortSignal: turn.signal } as never);
    return tools.look.toModelOutput({ toolCallId: 'c1', output } as never);
  });
  expect(report.unwrap()).toEqual({ type: 'text', value: expect.stringContaining('stopped part-way') as string });
});
