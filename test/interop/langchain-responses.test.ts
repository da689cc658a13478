/**
 * LangChain keeps what OpenAI's Responses API answered beside its own messages, and sends that: the real client and a strict
 * server judge that a conversation is what is sent.
 */
import { afterEach, expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { startModelServer, type ModelReply, type ModelServer } from '../../src/testing/model-server/index.ts';
import { checkTranscript, Conversation, repair } from '../../src/transcript/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { majors } from './majors.ts';

const { ChatOpenAI } = await (majors[0] as (typeof majors)[number]).load<typeof import('@langchain/openai')>(
  '@langchain/openai',
);

let server: ModelServer | undefined;
afterEach(() => server?.close());

async function modelOf(script: readonly ModelReply[], more: object = {}) {
  server = await startModelServer({ script });
  return new ChatOpenAI({
    ...more,
    ...{ model: 'gpt-5', apiKey: 'none', maxRetries: 0, useResponsesApi: true },
    configuration: { baseURL: `${server.url}/v1` },
  });
}

const read = (id: string, input: object = {}) => ({ toolCalls: [{ name: 'read', id, input }] });

it.each([
  ['ids that begin anew in each reply', [read('call_1'), read('call_1', { again: true })]],
  ['an id that is too long for others', [read(`call_${'x'.repeat(70)}`)]],
  ['words of its own', [{ text: 'I read.', ...read('call_1') }]],
])('what is sent has the ids of the conversation: %s', async (_what, replies) => {
  const model = await modelOf([...replies, 'The end.', 'The end.', 'The end.']);
  const chat = new Conversation(langchain);
  const agent = new InterruptController();
  const ask = (prompt: string) =>
    chat.runTurn(agent, prompt, async (turn) => {
      for (;;) {
        const reply = await turn.model(({ messages, signal }) => model.invoke(messages as never, { signal }));
        await turn.tools(reply.calls, () => 'read');
        if (reply.isLast && reply.status === 'completed') return reply.value.text;
      }
    });
  expect((await ask('Go.')).unwrap()).toBe('The end.');
  expect((await ask('And now?')).unwrap()).toBe('The end.');
  expect(checkTranscript(chat.messages, { dialect: langchain })).toEqual([]);
  const repaired = repair(chat.messages, { dialect: langchain }).messages;
  expect((await model.invoke(repaired as never)).text).toBe('The end.');
});

it.each(['words', 'thought'])('a thought of a response that never ended is not sent: cut in the %s', async (where) => {
  const answer = { thinking: 'I look first.', text: 'Let me look at it.', chunks: 4 };
  const model = await modelOf([{ ...answer, silentAfter: where === 'words' ? 6 : 2 }, 'Understood.', 'The end.']);
  const chat = new Conversation(langchain);
  const agent = new InterruptController();
  const ask = (prompt: string) =>
    chat.runTurn(agent, prompt, async (turn) => {
      for (;;) {
        const reply = await turn.model(async ({ messages, signal, partial }) => {
          let all: import('@langchain/core/messages').AIMessageChunk | undefined;
          for await (const chunk of await model.stream(messages as never, { signal })) {
            all = all === undefined ? chunk : all.concat(chunk);
            partial(all);
            const heard = where === 'words' ? all.text !== '' : 'reasoning' in all.additional_kwargs;
            if (heard && server?.requests.length === 1) agent.interject('Wait.', { delivery: 'now' });
          }
          return all as import('@langchain/core/messages').AIMessageChunk;
        });
        if (reply.status === 'completed') return reply.value.text;
      }
    });
  expect((await ask('Go.')).unwrap()).toBe('Understood.');
  expect((await ask('And now?')).unwrap()).toBe('The end.');
  expect(JSON.stringify(server?.requests.map(({ body }) => body))).not.toContain('"type":"reasoning"');
});

it.each([{}, { outputVersion: 'v1' as const }, { streaming: true }])(
  'a response that its limit ended in its thought goes on with words behind that: %j',
  async (more) => {
    const model = await modelOf([{ thinking: 'I look.', stopReason: 'max_output_tokens' }, 'The end.'], more);
    const chat = new Conversation(langchain);
    const ask = (prompt: string) =>
      chat.runTurn(new InterruptController(), prompt, (turn) =>
        turn.model(({ messages, signal }) => model.invoke(messages as never, { signal })),
      );
    await ask('Go.');
    expect((await ask('And now?')).unwrap()).toMatchObject({ status: 'completed', value: { text: 'The end.' } });
    expect(checkTranscript(chat.messages, { dialect: langchain })).toEqual([]);
    const { input } = server?.requests[1]?.body as { readonly input: readonly { readonly type?: string }[] };
    const places = input.map(({ type = 'message' }) => type);
    expect(places[places.lastIndexOf('reasoning') + 1]).toBe('message');
    expect(places.slice(-2)).toEqual(['message', 'message']);
  },
);
