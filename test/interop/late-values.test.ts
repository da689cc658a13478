/** What a model reads of a value that came after the stop of its call: with the note of the ledger, whatever the value is. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { guardTool, guardTools, toolContextOf } from '../../src/guard/index.ts';
import { isObject } from '../../src/core/inside.ts';
import type { Turn } from '../../src/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { majors } from './majors.ts';
import { frameworkStage } from './stage.ts';
import { frameworks } from './support/frameworks/index.ts';
import { callsOf } from './support/frameworks/loop-stage.ts';

const dialect = openaiChat;
const note = 'This call returned after it had been told to stop: the user cancelled.';
const part = { type: 'text', text: 'r0ws' };

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A loop whose one call is stopped and returns all the same; the last request tells the model of it. */
async function stageOf(value: unknown) {
  const { agent, server, baseURL } = await frameworkStage([callsOf('look'), 'Went on.']);
  const look = async (signal: AbortSignal | undefined): Promise<unknown> => {
    const { id } = toolContextOf(signal)?.call as { readonly id: string };
    expect(agent.cancelCall(id, 'user').accepted).toBe(true);
    await turnOfLoop();
    return value;
  };
  const told = (): string => JSON.stringify(server.requests.at(-1)?.body);
  return { agent, server, baseURL, look, told };
}

/** How often a text is in another. */
const count = (all: string, one: string): number => all.split(one).length - 1;

const values = [
  ['a text', 'r0ws', 'r0ws'],
  ['an object', { r0ws: 3 }, 'r0ws'],
  ['a list', [3, 'r0ws'], 'r0ws'],
  ['a list of parts', [part], 'r0ws'],
  ['what MCP gives', { content: [part], _meta: {} }, 'r0ws'],
  ['a number', 4711, '4711'],
  ['nothing', undefined, note],
] as const;

describe.each(frameworks)('a value after the stop of its call, $name', (framework) => {
  const isOfPi = framework.name.includes('pi-agent');

  it.each(isOfPi ? values.slice(0, 1) : values)('%s is told with the note, once', async (_what, value, mark) => {
    const { agent, server, baseURL, look, told } = await stageOf(value);
    // The door of pi has words of its own.
    const around = isOfPi ? undefined : <T extends object>(tool: T): T => guardTool(tool, { dialect });
    const report = await agent.runTurn((turn) =>
      framework.run(turn as Turn, { baseURL, tools: { look: ({ signal }) => look(signal) }, around }),
    );
    expect([report.status, report.status === 'failed' ? report.error : undefined]).toEqual(['completed', undefined]);
    expect(report.calls).toMatchObject([{ status: 'completed', afterStop: true }]);
    expect(server.requests).toHaveLength(2);
    expect([count(told(), note), told().includes(mark)]).toEqual([1, true]);
  });
});

const loaded = await Promise.all(
  majors.map(async ({ name, load }) => ({
    name,
    ai: await load<typeof import('ai')>('ai'),
    openai: await load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
    tools: await load<typeof import('@langchain/core/tools')>('@langchain/core/tools'),
    messages: await load<typeof import('@langchain/core/messages')>('@langchain/core/messages'),
    graph: await load<typeof import('@langchain/langgraph')>('@langchain/langgraph'),
  })),
);

describe.each(loaded)('a value after the stop of its call, $name', ({ ai, openai, tools, messages, graph }) => {
  const forms = [
    ['no form of its own', undefined],
    ['a text', (output: unknown) => ({ type: 'text', value: JSON.stringify(output) })],
    ['JSON, later', (output: unknown) => Promise.resolve({ type: 'json', value: output })],
    ['parts', () => ({ type: 'content', value: [part] })],
  ] as const;

  it.each(forms.flatMap((form) => (['door', 'guard'] as const).map((by) => [...form, by] as const)))(
    'is itself to a program of the AI SDK, whose tool has %s (%o), under a %s',
    async (_what, make, by) => {
      const value = { r0ws: 3 };
      const { agent, baseURL, look, told } = await stageOf(value);
      const toModelOutput = make && (({ output }: { readonly output: unknown }) => make(output) as never);
      const own = {
        look: ai.tool({
          inputSchema: z.object({}),
          execute: (_input: object, { abortSignal }: { readonly abortSignal?: AbortSignal }) => look(abortSignal),
          ...(make && { toModelOutput }),
        } as never),
      };
      const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
      const settings = { model, tools: own, prompt: 'go', stopWhen: ai.stepCountIs(3) };
      const report = await agent.runTurn(async (turn) => {
        const under =
          by === 'door'
            ? underTurn(turn, settings, { dialect })
            : { ...settings, tools: guardTools(own, { dialect }), abortSignal: turn.signal };
        return (await ai.generateText(under)).steps[0]?.toolResults.map(({ output }) => output);
      });
      expect(report.unwrap()).toEqual([value]);
      expect(report.calls).toMatchObject([{ status: 'completed', afterStop: true, value }]);
      expect([count(told(), note), told().includes('r0ws')]).toEqual([1, true]);
    },
  );

  /** Turns of a module constant, whose tools all give the same. */
  const loopOf = async (own: object, value: unknown, stopped: boolean, ...names: string[]) => {
    const { agent, server, baseURL } = await frameworkStage([
      { toolCalls: names.map((name, index) => ({ id: `call_${String(index)}`, name, input: {} })) },
      'Went on.',
    ]);
    work = async (id) => {
      if (stopped && id === 'call_0') agent.cancelCall(id, 'user');
      await turnOfLoop();
      return value;
    };
    const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
    const settings = { model, tools: own as never, prompt: 'go', stopWhen: ai.stepCountIs(3) };
    const given = (signal: AbortSignal): object => ({ ...settings, abortSignal: signal });
    const report = await agent.runTurn(({ signal }) => ai.generateText(given(signal) as never));
    const { messages: sent } = server.requests.at(-1)?.body as {
      readonly messages: readonly { readonly role: string; readonly content: string }[];
    };
    const told = sent.filter(({ role }) => role === 'tool').map(({ content }) => content);
    return { report, told, rows: report.calls.map(({ status, ...row }) => [status, 'afterStop' in row]) };
  };
  let work: (id: string) => Promise<unknown> = () => Promise.reject(new Error('not yet'));
  /** Its form shows of a text what that says as JSON, and of anything else its JSON. */
  const look = ai.tool({
    inputSchema: z.object({}),
    execute: (_input: object, { toolCallId }: { readonly toolCallId: string }) => work(toolCallId),
    toModelOutput: (given: unknown) => {
      const output = isObject(given) && 'output' in given ? given.output : given;
      return {
        type: 'text',
        value: `form of ${JSON.stringify(typeof output === 'string' ? JSON.parse(output) : output)}`,
      };
    },
  } as never) as object;

  it.each<[unknown, number]>([
    ['{"ok":true}', 1],
    [7, 1],
    [{ ok: true }, 1],
    [[7], 1],
    // Two calls may give one, and nobody can make another of it.
    [new (class Receipt { readonly ok = true; })(), 0], // prettier-ignore
  ])('is told of no other call that gives the same, %j', async (value, notes) => {
    const { rows, told } = await loopOf(guardTools({ look }, { dialect }), value, true, 'look', 'look');
    expect(rows).toEqual([
      ['completed', true],
      ['completed', false],
    ]);
    expect(told.map((each) => [each.startsWith('form of'), count(each, note)])).toEqual([
      [true, notes],
      [true, 0],
    ]);
  });

  it.each(['{"ok":true}', { ok: true }])('is told of no call of another session that has its id, %j', async (value) => {
    const own = guardTools({ look }, { dialect });
    // What a page has of a chat, and sends with its next prompt.
    const pageOf = (output: unknown) =>
      ({ role: 'assistant', parts: [{ type: 'tool-look', toolCallId: 'call_0', state: 'output-available', input: {}, output }] }); // prettier-ignore
    const read = async (page: object) =>
      JSON.stringify(await ai.convertToModelMessages([page] as never, { tools: own as never }));
    const outputOf = ({ report }: Awaited<ReturnType<typeof loopOf>>) =>
      report.unwrap().steps[0]?.toolResults[0]?.output as unknown;
    const bob = await loopOf(own, value, false, 'look');
    const ann = await loopOf(own, value, true, 'look');
    expect([bob.rows, ann.rows]).toEqual([[['completed', false]], [['completed', true]]]);
    const pages = [bob, ann].map((each) => pageOf(outputOf(each)));
    const forms = await Promise.all(pages.map(read));
    expect(forms.map((form) => [count(form, 'form of'), count(form, note)])).toEqual([
      [1, 0],
      [1, 1],
    ]);
  });

  it('has its form in a copy of its tool that is guarded again', async () => {
    const copy = { ...guardTools({ look }, { dialect }).look, description: 'x' };
    const { rows, told, report } = await loopOf(guardTools({ look: copy }), '{"ok":true}', true, 'look');
    expect([rows, report.status]).toEqual([[['completed', true]], 'completed']);
    expect(told).toEqual([expect.stringContaining(`form of {"ok":true}\n${note}`)]);
  });

  it.each([
    ['content', 'r0ws', undefined],
    ['content', { r0ws: 3 }, undefined],
    ['content', new messages.ToolMessage({ content: 'r0ws', tool_call_id: 'a' }), undefined],
    ['content_and_artifact', ['r0ws', { id: 1 }], { id: 1 }],
    ['content_and_artifact', [[part], { id: 1 }], { id: 1 }],
  ])('is the %s of a message of LangChain, for %j', async (responseFormat, value, artifact) => {
    const { agent } = await frameworkStage([]);
    const work = async (): Promise<unknown> => {
      agent.cancelCall('a', 'user');
      await turnOfLoop();
      return value;
    };
    const call = { type: 'tool_call' as const, id: 'a', name: 'look', args: {} };
    const settings = { name: 'look', description: 'x', schema: z.object({}), responseFormat };
    const isPair = responseFormat !== 'content';
    const toResult = isPair ? (text: string) => [text, undefined] : undefined;
    const within = await agent.runTurn(async (turn) => {
      const run = guardTool(async (_input: object, _config: object) => await work(), { turn, dialect, toResult });
      return await tools.tool(run as never, settings).invoke(call, { signal: turn.signal });
    });
    const message = within.unwrap() as { readonly content: unknown; readonly artifact: unknown };
    expect([count(JSON.stringify(message.content), note), message.artifact]).toEqual([1, artifact]);
    expect(JSON.stringify(message.content)).toContain('r0ws');
  });

  it.each([
    ['a record', (answer: object) => ({ seen: 1, messages: [answer] })],
    ['a list', (answer: object) => [['messages', answer]]],
  ])('is in the message of a command of LangGraph, whose update is %s', async (_what, updateOf) => {
    const { agent } = await frameworkStage([]);
    const answer = new messages.ToolMessage({ content: 'r0ws', tool_call_id: 'a' });
    const command = new graph.Command({ update: updateOf(answer) as never });
    const report = await agent.runTurn(async (turn) => {
      const look = async (_input: object, _config: object): Promise<unknown> => {
        agent.cancelCall('a', 'user');
        await turnOfLoop();
        return command;
      };
      return await guardTool(look, { turn, dialect })(
        {},
        { toolCall: { id: 'a', name: 'look', args: {} }, callbacks: undefined },
      );
    });
    const given = report.unwrap() as typeof command;
    expect([graph.isCommand(given), count(JSON.stringify(given.update), note)]).toEqual([true, 1]);
    expect([answer.content, report.calls[0]]).toMatchObject(['r0ws', { value: command }]);
  });
});
