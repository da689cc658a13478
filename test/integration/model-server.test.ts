import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startModelServer, type ModelScript, type ModelServer } from '../../src/testing/model-server/index.ts';
import { signThought } from '../../src/testing/model-server/transcript-rules/thought-signature.ts';

const ask = [{ role: 'user' as const, content: 'Go.' }];
const toolCalls = [{ name: 'read', input: { path: 'a.txt' } }];

async function withServer(script: ModelScript, use: (server: ModelServer) => Promise<void>): Promise<void> {
  const server = await startModelServer({ script });
  try {
    await use(server);
  } finally {
    await server.close();
    expect(server.openSockets).toBe(0);
  }
}

function anthropic(server: ModelServer): Anthropic {
  return new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
}

function openai(server: ModelServer): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
}

it('is understood by the Anthropic SDK, streamed and whole', async () => {
  const answer = { thinking: 'Hm.', text: 'Let me look.', toolCalls };
  await withServer([answer, answer], async (server) => {
    const params = { model: 'm', max_tokens: 100, messages: ask };
    const whole = await anthropic(server).messages.create(params);
    const streamed = await anthropic(server).messages.stream(params).finalMessage();
    expect(streamed.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: signThought('2', 'Hm.') },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'toolu_2_1', name: 'read', input: { path: 'a.txt' } },
    ]);
    expect(whole.content).toHaveLength(3);
    expect([whole.stop_reason, streamed.stop_reason]).toEqual(['tool_use', 'tool_use']);
    expect([whole.usage, streamed.usage]).toMatchObject([{ output_tokens: 5 }, { output_tokens: 5 }]);
    await server.waitFor(({ requests }) => requests.every((request) => request.finishedAt !== undefined));
    expect(server.requests.map(({ dialect, stream, closedEarly }) => ({ dialect, stream, closedEarly }))).toEqual([
      { dialect: 'anthropic', stream: false, closedEarly: false },
      { dialect: 'anthropic', stream: true, closedEarly: false },
    ]);
  });
});

it('is understood by the OpenAI SDK, streamed and whole', async () => {
  const answer = { text: 'Let me look.', toolCalls };
  await withServer([answer, answer], async (server) => {
    const params = { model: 'm', messages: ask };
    const whole = await openai(server).chat.completions.create(params);
    const streamed = await openai(server)
      .chat.completions.stream({ ...params, stream_options: { include_usage: true } })
      .finalChatCompletion();
    expect(streamed.choices[0]?.message).toMatchObject({
      content: 'Let me look.',
      tool_calls: [{ id: 'call_2_1', function: { name: 'read', arguments: '{"path":"a.txt"}' } }],
    });
    expect(whole.choices[0]?.message.tool_calls).toHaveLength(1);
    expect([whole.usage?.completion_tokens, streamed.usage?.completion_tokens]).toEqual([4, 4]);
  });
});

it('sees a client close its socket mid-stream, and stops writing', async () => {
  await withServer([{ text: 'word '.repeat(500), chunkMs: 20 }], async (server) => {
    const leave = new AbortController();
    const stream = await openai(server).chat.completions.create(
      { model: 'm', messages: ask, stream: true },
      { signal: leave.signal },
    );
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    leave.abort();
    const request = await server.waitFor(({ requests }) => requests.find(({ closedEarly }) => closedEarly));
    await iterator.next();
    const { bytesWritten, deltasWritten } = request;
    expect(deltasWritten).toBeLessThan(500);
    expect(request.finishedAt).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(request.bytesWritten).toBe(bytesWritten);
  });
});

it('falls silent, drops and fails as scripted', async () => {
  const script: ModelScript = [
    { text: 'one two three', silentAfter: 1 },
    { text: 'one two three', dropAfter: 1 },
    { status: 429, message: 'Slow down', headers: { 'retry-after': '7' } },
  ];
  await withServer(script, async (server) => {
    const client = openai(server);
    const open = (signal?: AbortSignal) =>
      client.chat.completions.create({ model: 'm', messages: ask, stream: true }, { signal });
    const leave = new AbortController();
    const iterator = (await open(leave.signal))[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    const next = iterator.next();
    await expect(Promise.race([next, new Promise((resolve) => setTimeout(resolve, 50, 'silence'))])).resolves.toBe(
      'silence',
    );
    leave.abort();
    await next;
    await expect(
      (async () => {
        for await (const _chunk of await open());
      })(),
    ).rejects.toThrow();
    expect(server.requests[1]).toMatchObject({ deltasWritten: 1, closedEarly: false });
    const refused = await open().catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 429, message: expect.stringContaining('Slow down') as string });
    expect((refused as { headers: Headers }).headers.get('retry-after')).toBe('7');
  });
});

it('refuses a broken transcript in the provider’s words, without using up a reply', async () => {
  await withServer(['fine'], async (server) => {
    const call = { type: 'tool_use' as const, id: 't1', name: 'read', input: {} };
    const broken = [...ask, { role: 'assistant' as const, content: [call] }, ...ask];
    const params = { model: 'm', max_tokens: 10 };
    await expect(anthropic(server).messages.create({ ...params, messages: broken })).rejects.toThrow(
      'tool_use` ids were found without `tool_result` blocks immediately after: t1',
    );
    await expect(anthropic(server).messages.create({ ...params, messages: ask })).resolves.toMatchObject({
      content: [{ text: 'fine' }],
    });
  });
  const lenient = await startModelServer({ strict: false });
  const response = await fetch(`${lenient.url}/v1/messages`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(200);
  await lenient.close();
});

it('answers what it does not know with an error, and a script that throws in words', async () => {
  const script = () => {
    throw new Error('no idea');
  };
  await withServer(script, async (server) => {
    const post = async (path: string, body: string) => {
      const response = await fetch(server.url + path, { method: 'POST', body });
      return [response.status, JSON.stringify(await response.json())] as const;
    };
    expect(await post('/v1/nothing', '{}')).toMatchObject([404, expect.stringContaining('POST /v1/nothing')]);
    expect(await post('/v1/messages', 'no JSON')).toMatchObject([400, expect.stringContaining('not a JSON object')]);
    const body = JSON.stringify({ model: 'm', messages: ask });
    expect(await post('/v1/chat/completions', body)).toMatchObject([400, expect.stringContaining('no idea')]);
  });
});

it('says that its port is taken', async () => {
  await withServer([], async ({ port }) => {
    await expect(startModelServer({ port })).rejects.toThrow(`Port ${String(port)} is in use`);
  });
});

it('closes in the middle of everything: silent requests, half-sent bodies, slow streams', async () => {
  const server = await startModelServer({ script: [{ silent: true }, { text: 'a b c', chunkMs: 60_000 }] });
  const lost = expect(openai(server).chat.completions.create({ model: 'm', messages: ask })).rejects.toThrow();
  await server.waitFor(({ requests }) => requests.length === 1);
  const cut = openai(server).chat.completions.create({ model: 'm', messages: ask, stream: true });
  const lostToo = expect(
    cut.then(async (stream) => {
      for await (const _chunk of stream);
    }),
  ).rejects.toThrow();
  await server.waitFor(({ requests }) => requests[1]?.status === 200);
  const half = connect(server.port, '127.0.0.1');
  half.on('error', () => undefined);
  half.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
  await server.waitFor(({ openSockets }) => openSockets === 3);
  await server.close();
  await Promise.all([lost, lostToo]);
  half.destroy();
  expect(server.openSockets).toBe(0);
  expect(server.requests.map(({ closedEarly }) => closedEarly)).toEqual([false, false]);
});
