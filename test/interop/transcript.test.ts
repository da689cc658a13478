import { afterEach, describe, expect, it } from 'vitest';
import { foldGemini, foldOpenAIResponses, readStream } from '../../src/adapters/llm/index.ts';
import { InterruptController } from '../../src/index.ts';
import { startModelServer, type ModelScript, type ModelServer } from '../../src/testing/model-server/index.ts';
import { repairWith } from '../transcript/support/repair-with.ts';
import { runTool } from '../transcript/support/run-tool.ts';
import { majors } from './majors.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import { repairReport } from '../transcript/support/repair-report.ts';
import { messageWriter } from '../../src/transcript/index.ts';

type OpenAIModule = typeof import('openai');
type Input = import('openai').OpenAI.Responses.ResponseInput;
type Content = import('@google/genai').Content;

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: major.name,
    openai: await major.load<OpenAIModule>('openai'),
    genai: await major.load<typeof import('@google/genai')>('@google/genai'),
  })),
);

let server: ModelServer;

afterEach(() => server.close());

/** One call that ends, one that is running when the user stops, one that is asking, one that never starts. */
const batch = {
  thinking: 'I should look first.',
  text: 'One moment.',
  toolCalls: ['done', 'running', 'asking', 'queued'].map((name) => ({ name, input: { of: name } })),
};

describe.each(loaded)('$name', ({ openai, genai }) => {
  async function responsesClient(script: ModelScript) {
    server = await startModelServer({ script });
    return new openai.OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 }).responses;
  }

  async function geminiClient(script: ModelScript) {
    server = await startModelServer({ script });
    return new genai.GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: server.url } }).models;
  }

  it('S17 Responses: a batch in four states goes on, with its reasoning, where the bare one is refused', async () => {
    const responses = await responsesClient([batch, 'Understood.']);
    const agent = new InterruptController({ name: 'main', graceMs: 20 });
    const input: Input = [{ role: 'user', content: 'Go.' }];
    const report = await agent.runTurn(async (turn) => {
      const reply = await turn.model(({ signal }) =>
        readStream(signal, (context) => responses.create({ model: 'm', input, stream: true }, context), {
          fold: foldOpenAIResponses,
        }),
      );
      if (reply.status !== 'completed') return;
      input.push(...(reply.value.message as unknown as Input));
      const calls = reply.value.calls.map((call) => ({ ...call, id: call.call_id, name: String(call['name']) }));
      await turn.tools(calls.slice(0, 3), (call, context) => runTool(call.name, context, () => agent.cancel()));
    });

    const send = (items: Input) =>
      responses.create({ model: 'm', input: [...items, { role: 'user', content: 'What now?' }] });
    await expect(send(input)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('No tool output found') as unknown,
    });
    const settled = repairReport(input, report, { dialect: openaiResponses });
    expect((await send(settled.messages)).output_text).toBe('Understood.');
    const outputs = settled.messages.filter((item) => item.type === 'function_call_output');
    expect(outputs.map((item) => item.call_id)).toEqual(['call_1_1', 'call_1_2', 'call_1_3', 'call_1_4']);
    expect(outputs[0]?.output).toBe('{"files":2}');
    expect(outputs[1]?.output).toMatch(/the user cancelled.*Do not retry.*Output so far:\n3 of 9 lines/s);
    expect(outputs[2]?.output).toMatch(/not started/);
    // Of the fourth nobody kept a row.
    expect(outputs[3]?.output).toMatch(/may have run/);
  });

  it('S17 Gemini: a batch in four states goes on, where the bare one is refused', async () => {
    const models = await geminiClient([batch, 'Understood.']);
    const agent = new InterruptController({ name: 'main', graceMs: 20 });
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Go.' }] }];
    const report = await agent.runTurn(async (turn) => {
      const reply = await turn.model(({ signal }) =>
        readStream(
          signal,
          (context) =>
            models.generateContentStream({ model: 'gemini-3-pro', contents, config: { abortSignal: context.signal } }),
          { fold: foldGemini },
        ),
      );
      if (reply.status !== 'completed') return;
      contents.push(reply.value.message);
      const calls = reply.value.calls.map((call) => ({ ...call, id: String(call.id) }));
      await turn.tools(calls.slice(0, 3), (call, context) => runTool(call.name, context, () => agent.cancel()));
    });

    const next: Content = { role: 'user', parts: [{ text: 'What now?' }] };
    const send = (all: Content[]) => models.generateContent({ model: 'gemini-3-pro', contents: all });
    await expect(send([...contents, next])).rejects.toMatchObject({ status: 400 });
    const settled = repairReport(contents, report, { dialect: gemini });
    expect((await send([...settled.messages, next])).text).toBe('Understood.');
    const answers = settled.messages[2]?.parts?.map((part) => part.functionResponse);
    expect(answers?.map((answer) => answer?.name)).toEqual(['done', 'running', 'asking', 'queued']);
    expect(answers?.[0]?.response).toEqual({ files: 2 });
    expect(answers?.[1]?.response?.['error']).toMatch(/the user cancelled.*Output so far/s);
  });

  // Thinking, text and one call go out in four deltas each; after the twelfth only the end of the call is missing.
  it.each([0, 2, 4, 6, 8, 10, 12])('S18 Responses: a reply cut after %i deltas', async (silentAfter) => {
    const cut = { ...batch, toolCalls: batch.toolCalls.slice(0, 1), chunks: 4, silentAfter };
    const responses = await responsesClient([cut, 'Understood.']);
    const input: Input = [{ role: 'user', content: 'Go.' }];
    const agent = new InterruptController({ name: 'main', graceMs: 20 });
    const running = agent.runTurn((turn) =>
      turn.model(({ signal, partial }) =>
        readStream(signal, (context) => responses.create({ model: 'm', input, stream: true }, context), {
          fold: foldOpenAIResponses,
          onProgress: partial,
        }),
      ),
    );
    await server.waitFor(({ requests }) => requests[0]?.status === 200 && requests[0].deltasWritten === silentAfter);
    agent.cancel();
    const settled = repairReport(input, await running, { dialect: openaiResponses });
    const next = { role: 'user' as const, content: 'Go on.' };
    await expect(responses.create({ model: 'm', input: [...settled.messages, next] })).resolves.toBeDefined();
  });

  it('S20 Responses: the server holds the conversation; the plan lists the outputs, the next request has its own signal', async () => {
    const responses = await responsesClient([batch, { text: 'one two three', silentAfter: 2 }, 'Understood.']);
    const first = await responses.create({ model: 'm', input: 'Go.' });
    const stopped = new AbortController();
    stopped.abort();
    const plan = repairWith(first.output as Input, {
      dialect: openaiResponses,
      outcomes: [{ id: 'call_1_1', name: 'done', call: {}, ms: 1, status: 'completed', value: 'real' }],
      held: { responses: [first] },
    });
    expect(plan.submit?.previous_response_id).toBe(first.id);
    expect(plan.submit?.input).toHaveLength(4);
    const bare = { model: 'm', previous_response_id: first.id, input: 'And?' };
    await expect(responses.create(bare)).rejects.toMatchObject({ status: 400 });
    const next = { model: 'm', ...plan.submit, stream: true as const };
    await expect(responses.create(next, { signal: stopped.signal })).rejects.toThrow(/abort/i);

    // The second reply is cut: the server has not kept it, and what was said goes along from the first.
    const fold = foldOpenAIResponses();
    const leave = new AbortController();
    const reading = (async () => {
      for await (const event of await responses.create(next, { signal: leave.signal })) {
        fold.add(event);
        if (fold.value.text === 'one two') leave.abort();
      }
    })();
    await reading.catch(() => undefined);
    const cut = fold.value;
    expect([cut.text, cut.isComplete]).toEqual(['one two', false]);
    const reason = { kind: 'user', message: 'User cancelled', at: 1 } as const;
    const said = messageWriter(openaiResponses).reply({ status: 'interjected', partial: cut, reason });
    const again = repairWith([...plan.messages, ...said] as Input, {
      dialect: openaiResponses,
      held: { responses: [first, { id: cut.responseId ?? '', status: 'cancelled' }] },
    });
    const lost = { model: 'm', previous_response_id: cut.responseId ?? '', input: 'And?' };
    await expect(responses.create(lost)).rejects.toMatchObject({ code: 'previous_response_not_found' });
    const { input: rest, ...from } = again.submit ?? { input: [] };
    const done = await responses.create({ model: 'm', ...from, input: [...rest, { role: 'user', content: 'And?' }] });
    expect(done.output_text).toBe('Understood.');
    expect(JSON.stringify(rest)).toMatch(/one two.*cut off before its end: the user cancelled/);
  });
});
