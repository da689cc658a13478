import { afterEach, describe, expect, it } from 'vitest';
import { startModelServer, type ModelScript, type ModelServer } from '../../src/testing/model-server/index.ts';
import { majors } from './majors.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: major.name,
    openai: await major.load<typeof import('openai')>('openai'),
    genai: await major.load<typeof import('@google/genai')>('@google/genai'),
  })),
);

let server: ModelServer;

afterEach(async () => {
  await server.close();
  expect(server.openSockets).toBe(0);
});

const toolCalls = [{ name: 'read', input: { path: 'a.txt' } }];
const answer = { thinking: 'Hm.', text: 'Let me look.', toolCalls };

describe.each(loaded)('$name', ({ openai, genai }) => {
  async function openaiClient(script: ModelScript) {
    server = await startModelServer({ script });
    return new openai.OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
  }

  async function geminiClient(script: ModelScript) {
    server = await startModelServer({ script });
    return new genai.GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: server.url } });
  }

  it('Responses: streamed and whole, the same', async () => {
    const client = await openaiClient([answer, answer]);
    const whole = await client.responses.create({ model: 'm', input: 'Go.' });
    const types: string[] = [];
    const stream = client.responses.stream({ model: 'm', input: 'Go.' });
    stream.on('event', ({ type }) => types.push(type));
    const streamed = await stream.finalResponse();
    expect(whole.output_text).toBe('Let me look.');
    expect(streamed.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
    expect(streamed.output[2]).toMatchObject({ call_id: 'call_2_1', name: 'read', arguments: '{"path":"a.txt"}' });
    expect([whole.usage?.output_tokens, streamed.usage?.output_tokens]).toEqual([5, 5]);
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);
    expect(server.requests.map(({ dialect, model, stream: asked }) => [dialect, model, asked])).toEqual([
      ['openai-responses', 'm', false],
      ['openai-responses', 'm', true],
    ]);
  });

  it('Responses: what the server holds is held against the next request', async () => {
    const client = await openaiClient([answer, 'Done.']);
    const { id, output } = await client.responses.create({ model: 'm', input: 'Go.' });
    const next = { model: 'm', previous_response_id: id };
    await expect(client.responses.create({ ...next, input: 'And?' })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('No tool output found for function call call_1_1.') as unknown,
    });
    const submit = [{ type: 'function_call_output' as const, call_id: 'call_1_1', output: 'ok' }];
    const done = await client.responses.create({ ...next, input: submit });
    expect([output.length, done.output_text]).toEqual([3, 'Done.']);
    await expect(
      client.responses.create({ ...next, previous_response_id: 'resp_9', input: submit }),
    ).rejects.toMatchObject({
      code: 'previous_response_not_found',
    });
  });

  it('Gemini: streamed and whole, the same', async () => {
    const client = await geminiClient([answer, answer]);
    const whole = await client.models.generateContent({ model: 'gemini-3-pro', contents: 'Go.' });
    const parts: unknown[] = [];
    let last: string | undefined;
    for await (const chunk of await client.models.generateContentStream({ model: 'gemini-3-pro', contents: 'Go.' })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      last = chunk.candidates?.[0]?.finishReason;
    }
    expect(whole.text).toBe('Let me look.');
    expect(whole.functionCalls).toMatchObject([{ name: 'read', args: { path: 'a.txt' } }]);
    expect(parts).toContainEqual({
      functionCall: { id: 'call_2_1', name: 'read', args: { path: 'a.txt' } },
      thoughtSignature: Buffer.from('signature-2').toString('base64'),
    });
    expect(last).toBe('STOP');
    expect(server.requests.map(({ dialect, model, stream }) => [dialect, model, stream])).toEqual([
      ['gemini', 'gemini-3-pro', false],
      ['gemini', 'gemini-3-pro', true],
    ]);
  });

  it('Gemini: refuses in the provider’s words', async () => {
    const client = await geminiClient(['Never said.']);
    const contents = [
      { role: 'user', parts: [{ text: 'Go.' }] },
      { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] },
    ];
    await expect(client.models.generateContent({ model: 'm', contents })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('number of function response parts is equal') as unknown,
    });
  });
});
