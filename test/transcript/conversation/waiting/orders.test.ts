/** Orders to the provider: whatever becomes of the request that carries one, no other request has it. */
import { expect, it } from 'vitest';

import { InterruptController, type TurnReport } from '../../../../src/index.ts';
import { aiSDK, type AISDKMessage } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import {
  openaiResponses,
  type OpenAIResponsesItem,
} from '../../../../src/transcript/dialects/openai-responses/index.ts';
import { checkTranscript, Conversation, type TranscriptDialect } from '../../../../src/transcript/index.ts';

/** A provider that asks about two calls, and what its messages say of them. */
interface Provider<M extends object> {
  readonly dialect: TranscriptDialect<M>;
  readonly asks: object;
  readonly yes: () => readonly M[];
  /** A reply in which only the first of the calls has ended. */
  readonly half: object;
  readonly whole: object;
  /** What each question is answered with. */
  readonly decisions: (messages: readonly M[]) => readonly unknown[];
}

const names = ['pay', 'send'] as const;
const fieldsIn = (value: unknown, name: string): unknown[] => {
  const found: unknown[] = [];
  JSON.stringify(value, (key, one: unknown) => {
    if (key === name) found.push(one);
    return one;
  });
  return found;
};

const questions = names.map((name) => ({
  type: 'mcp_approval_request',
  id: name,
  server_label: 's',
  name,
  arguments: '{}',
}));
const calls = names.map((name) => ({
  ...{ type: 'mcp_call', id: `m${name}`, name, server_label: 's', arguments: '{}' },
  ...{ approval_request_id: name, output: 'done', status: 'completed' },
}));
const text = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] };
const responses: Provider<OpenAIResponsesItem> = {
  dialect: openaiResponses,
  asks: { status: 'completed', output: questions },
  yes: () => names.map((name) => ({ type: 'mcp_approval_response', approval_request_id: name, approve: true })),
  half: { status: 'in_progress', output: [calls[0], { ...calls[1], output: null, status: 'in_progress' }] },
  whole: { status: 'completed', output: [...calls, text] },
  decisions: (messages) => fieldsIn(messages, 'approve'),
};

const hosted = (item: object & { readonly type: string }) => ({
  ...{ type: 'hosted_tool_call', name: item.type, status: 'completed', providerData: item },
  ...('output' in item && { output: item.output }),
});
const agents: Provider<OpenAIAgentsItem> = {
  dialect: openaiAgents,
  asks: { output: questions.map((one) => ({ ...hosted(one), id: one.id })) },
  yes: () =>
    responses.yes().map((answer) => ({
      ...{ type: 'hosted_tool_call', name: 'mcp_approval_response', status: 'completed' },
      providerData: answer,
    })),
  half: { output: [hosted(calls[0]!)], isComplete: false },
  whole: { output: [...calls.map(hosted), { ...text, status: 'completed' }] },
  decisions: (messages) => fieldsIn(messages, 'approve'),
};

const callOf = (name: string) => ({
  type: 'tool-call',
  toolCallId: name,
  toolName: name,
  input: {},
  providerExecuted: true,
});
const resultOf = (name: string) => ({
  ...{ type: 'tool-result', toolCallId: name, toolName: name, providerExecuted: true },
  output: { type: 'text', value: 'done' },
});
const ai: Provider<AISDKMessage> = {
  dialect: aiSDK,
  asks: {
    role: 'assistant',
    content: names.flatMap((name) => [
      callOf(name),
      { type: 'tool-approval-request', approvalId: `q${name}`, toolCallId: name },
    ]),
  },
  yes: () => [
    {
      role: 'tool',
      content: names.map((name) => ({ type: 'tool-approval-response', approvalId: `q${name}`, approved: true })),
    },
  ],
  half: { message: { role: 'assistant', content: [callOf('pay'), resultOf('pay')] }, isComplete: false },
  whole: {
    role: 'assistant',
    content: [...names.flatMap((name) => [callOf(name), resultOf(name)]), { type: 'text', text: 'Done.' }],
  },
  decisions: (messages) => fieldsIn(messages, 'approved'),
};

const providers: readonly (readonly [string, Provider<object>])[] = [
  ['openai-responses', responses],
  ['openai-agents', agents],
  ['ai-sdk', ai as unknown as Provider<object>],
];

/** What becomes of the request that carries both orders, and which of them stand as carried out. */
interface Way {
  readonly when: string;
  readonly request: (stage: Stage) => unknown;
  readonly carried: readonly boolean[];
  /** Whether they go out again in a turn without a word. */
  readonly isSentAgain?: true;
}

interface Stage {
  readonly provider: Provider<object>;
  readonly agent: InterruptController;
  readonly partial: (value: unknown) => void;
}

const ways: readonly Way[] = [
  { when: 'the reply comes whole', request: ({ provider }) => provider.whole, carried: [true, true] },
  {
    when: 'a person says something else for now meanwhile',
    request: ({ provider, agent }) => (agent.interject('Hurry.', { delivery: 'now' }), provider.whole),
    carried: [true, true],
  },
  {
    when: 'a person stops it behind the first result',
    request: ({ provider, agent, partial }) => (partial(provider.half), agent.cancel('user'), undefined),
    carried: [true, false],
  },
  {
    when: 'it breaks behind the first result',
    request: ({ provider, partial }) => {
      partial(provider.half);
      throw new Error('reset');
    },
    carried: [true, false],
  },
  { when: 'a person stops it', request: ({ agent }) => void agent.cancel('user'), carried: [false, false] },
  {
    when: 'nobody answers it',
    request: () => {
      throw new Error('ECONNRESET');
    },
    carried: [false, false],
  },
  {
    when: 'the provider is in trouble',
    request: () => {
      throw Object.assign(new Error('bad gateway'), { statusCode: 502 });
    },
    carried: [false, false],
  },
  {
    when: 'the provider refuses it',
    request: () => {
      throw Object.assign(new Error('slow down'), { status: 429 });
    },
    carried: [true, true],
    isSentAgain: true,
  },
];

async function playedTo(provider: Provider<object>, { request }: Pick<Way, 'request'>) {
  const agent = new InterruptController();
  const chat = new Conversation(provider.dialect);
  const sent: (readonly unknown[])[] = [];
  const stored: (readonly unknown[])[] = [];
  const send = (messages: readonly object[]) => {
    sent.push(provider.decisions(messages).filter((one) => one === true));
    stored.push(provider.decisions(chat.messages), provider.decisions(chat.fork().messages));
  };
  await chat.runTurn(agent, 'Pay, then send.', (turn) => turn.model(() => provider.asks));
  chat.push(...provider.yes());
  let isFirst = true;
  const order = await chat.runTurn(agent, undefined, (turn) =>
    turn.model((context) => {
      const { messages } = context;
      send(messages);
      // However often it is read for one request.
      expect(provider.decisions(context.messages)).toEqual(provider.decisions(messages));
      isFirst = false;
      return request({ provider, agent, partial: context.partial });
    }),
  );
  const goOn = (prompt?: string) =>
    chat.runTurn(agent, prompt, (turn) =>
      turn.model(({ messages }) => {
        send(messages);
        return provider.whole;
      }),
    );
  expect(isFirst).toBe(false);
  return { chat, sent, stored, order, goOn };
}

const cases = providers.flatMap(([name, provider]) => ways.map((way) => ({ name, provider, way, when: way.when })));

it.each(cases)('an order of $name goes out once, where $when', async ({ provider, way }) => {
  const { chat, sent, stored, goOn } = await playedTo(provider, way);
  expect(sent).toEqual([[true, true]]);
  // Whoever goes on from there, while nobody knows, does not give it again.
  expect(stored).toEqual([
    [false, false],
    [false, false],
  ]);
  expect(provider.decisions(chat.messages)).toEqual(way.carried);
  expect(checkTranscript(chat.messages, { dialect: provider.dialect })).toEqual([]);
  const mayHaveRun = JSON.stringify(chat.messages).includes('may have run');
  expect(mayHaveRun).toBe(way.carried.includes(false));
  await goOn();
  const isOver = way.isSentAgain !== true;
  expect(sent[1]).toEqual(isOver ? way.carried.filter(Boolean) : [true, true]);
  expect(provider.decisions(chat.messages)).toEqual(isOver ? way.carried : [true, true]);
});

it.each(providers)(
  'whoever speaks behind an order of %s that was refused has thought again',
  async (_name, provider) => {
    const { chat, sent, goOn } = await playedTo(provider, ways.at(-1) as Way);
    await goOn('Do not pay!');
    expect(sent).toEqual([[true, true], []]);
    expect(provider.decisions(chat.messages)).toEqual([false, false]);
    expect(JSON.stringify(chat.messages)).not.toContain('may have run');
    expect(checkTranscript(chat.messages, { dialect: provider.dialect })).toEqual([]);
  },
);

it.each(cases)('what is left of an order of $name whose turn is taken out, where $when', async ({ provider, way }) => {
  const { chat, order } = await playedTo(provider, way);
  expect(chat.drop(order as TurnReport<unknown>)).toEqual([]);
  const again = new Conversation(provider.dialect);
  await again.runTurn(new InterruptController(), 'Pay, then send.', (turn) => turn.model(() => provider.asks));
  const agent = new InterruptController();
  const [yes] = provider.yes();
  const taken = await again.runTurn(agent, yes, (turn) =>
    turn.model(({ messages, partial }) => {
      expect(provider.decisions(messages)).toContain(true);
      return way.request({ provider, agent, partial });
    }),
  );
  expect(again.drop(taken)).toContainEqual(yes);
  expect(provider.decisions(again.messages)).not.toContain(true);
  expect(JSON.stringify(again.messages).includes('may have run')).toBe(way.isSentAgain !== true);
  expect(checkTranscript(again.messages, { dialect: provider.dialect })).toEqual([]);
  if (way.isSentAgain === true) again.push(yes as object);
});
