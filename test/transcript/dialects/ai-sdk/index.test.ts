import { expect, it } from 'vitest';

import { InterruptController } from '../../../../src/index.ts';
import { aiSDK, aiSDKUI, type AISDKMessage } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import {
  checkTranscript,
  Conversation,
  mapDialect,
  messageWriter,
  repair,
  wordingTable,
} from '../../../../src/transcript/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const text = { type: 'text', text: 'Hello.' };
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: { path: 'a.txt' } };
const message = { role: 'assistant', content: [text, call] };

servesALoop({
  dialect: aiSDK,
  prompt: { role: 'user', content: 'Go.' },
  whole: { text: 'Hello.', response: { id: 'r', messages: [message] } },
  fold: { message, text: 'Hello.', calls: [call], isComplete: false },
  empty: { role: 'assistant', content: [] },
});

const page = [{ id: '1', role: 'user' as const, parts: [{ type: 'text', text: 'Hello' }] }];

it('messages of a page are refused among those for a model, and the other way round', () => {
  expect(() => repair(page as never, { dialect: aiSDK })).toThrow(/^messages\[0\] must be .*`aiSDKUI`/);
  expect(() => repair([{ role: 'user', content: 'Hello' }] as never, { dialect: aiSDKUI })).toThrow(
    'messages[0].parts',
  );
  expect(repair(page, { dialect: aiSDKUI })).toEqual({ messages: page, changes: [] });
});

it('no conversation is held in messages of a page', () => {
  const words = 'no model is sent messages of ai-sdk-ui: a conversation has those that one is';
  expect(() => new Conversation(aiSDKUI as never)).toThrow(new TypeError(words));
  expect(() => mapDialect(aiSDKUI as never, { toWire: () => undefined, fromWire: () => ({}) })).toThrow(words);
});

const asks = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'call_1' };
const decides = (approvalId: string) => ({
  role: 'tool' as const,
  content: [{ type: 'tool-approval-response', approvalId, approved: true }],
});

it.each([true, false])('an answer to what nobody asks is refused, while something waits: %s', async (waits) => {
  const messages: AISDKMessage[] = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: [call, asks] },
  ];
  const chat = new Conversation(aiSDK, { messages, waits });
  const before = chat.messages;
  for (const answer of waits ? [decides('other')] : [decides('q'), decides('other')]) {
    expect(() => {
      chat.push(answer);
    }).toThrow(/^an answer must be to what waits here, got .*tool-approval-response/);
    await expect(chat.runTurn(new InterruptController(), answer, () => undefined)).rejects.toThrow('what waits here');
  }
  expect(chat.messages).toEqual(before);
  if (waits) chat.push(decides('q'));
  expect(chat.messages).toEqual(waits ? [...before, decides('q')] : before);
});

it('a result of streamText is refused before any of its fields is read', async () => {
  const result = {
    fullStream: [],
    get response(): never {
      throw new Error('read');
    },
    get finishReason(): never {
      throw new Error('read');
    },
  };
  const words = 'reply must be a reply of ai-sdk, a fold of one, or what turn.model resolved with';
  const mapped = mapDialect(aiSDK, { toWire: (one: object) => one as never, fromWire: (one) => one });
  for (const chat of [new Conversation(aiSDK), new Conversation(mapped)]) {
    const report = await chat.runTurn(new InterruptController(), 'Go.', (turn) => turn.model(() => result));
    expect(report).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(words) as string } });
  }
  expect(() => aiSDK.calls(result)).toThrow(words);
});

const question = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'call_1' };
const asking = {
  finishReason: 'tool-calls',
  response: { messages: [{ role: 'assistant', content: [call, question] }] },
};
const going = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'q', approved: true }] } as const;

const read = (toolCallId: string) => ({
  role: 'tool' as const,
  content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value: 'seen' } }],
});
const said = { role: 'assistant' as const, content: [text] };

it.each([aiSDK, mapDialect<AISDKMessage, AISDKMessage>(aiSDK, { toWire: (one) => one, fromWire: (one) => one })])(
  'a call that asks a person may not run, ends its turn, and is open in the request that has the answer',
  async (dialect) => {
    const chat = new Conversation(dialect);
    const agent = new InterruptController();
    const report = await chat.runTurn(agent, 'Go.', async (turn) => {
      const { calls, isLast } = await turn.model(() => asking);
      return [calls, isLast];
    });
    expect(report.unwrap()).toEqual([[], true]);
    expect(chat.messages.slice(1)).toEqual(asking.response.messages);
    const waiting = chat.fork();
    const goOn = (own: typeof chat, reply: object) =>
      own.runTurn(agent, going, async (turn) => {
        const { isLast } = await turn.model(({ messages }) => {
          expect(messages.slice(1)).toEqual([...asking.response.messages, going]);
          return reply;
        });
        expect(isLast).toBe(true);
      });
    await goOn(chat, said);
    expect(JSON.stringify(chat.messages)).toContain('It may have run');
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
    // What the SDK ran before it asked its model it gives before the reply; of calls of another list nobody knows here.
    await goOn(waiting, { response: { messages: [read('call_1'), read('call_2'), said] } });
    expect(waiting.messages.slice(1)).toEqual([...asking.response.messages, going, read('call_1'), said]);
    expect(checkTranscript(waiting.messages, { dialect })).toEqual([]);
  },
);

const other = { ...call, toolCallId: 'call_2' };
const half = { role: 'assistant' as const, content: [call, other, question] };

it.each([[], [read('call_2')]])(
  'a question stays open beside calls that have ended, by the SDK: %j',
  async (...ran) => {
    const chat = new Conversation(aiSDK);
    const agent = new InterruptController();
    await chat.runTurn(agent, 'Go.', async (turn) => {
      const reply = await turn.model(() => ({ response: { messages: [half, ...ran] } }));
      expect(reply.calls.map(({ id }) => id)).toEqual(ran.length === 0 ? ['call_2'] : []);
      expect(reply.isLast).toBe(ran.length > 0);
      await turn.tools(reply.calls, () => 'seen');
      expect(reply.isLast).toBe(true);
      agent.interject('Wait.');
      expect(reply.isLast).toBe(false);
      turn.takeInterjections();
    });
    expect(chat.messages.slice(1)).toEqual([half, read('call_2')]);
    const answered = [...chat.messages, going];
    await chat.runTurn(agent, going, async (turn) => {
      await turn.model(({ messages }) => {
        expect(messages).toEqual(answered);
        return { response: { messages: [read('call_1'), said] } };
      });
    });
    expect(chat.messages).toEqual([...answered, read('call_1'), said]);
    expect(checkTranscript(chat.messages, { dialect: aiSDK })).toEqual([]);
  },
);

it('a call that asks a person did not run where its loop asks the model again', async () => {
  const chat = new Conversation(aiSDK);
  await chat.runTurn(new InterruptController(), 'Go.', async (turn) => {
    const { calls } = await turn.model(() => ({ finishReason: 'tool-calls', response: { messages: [half] } }));
    expect(calls.map(({ id }) => id)).toEqual(['call_2']);
    await turn.tools(calls, () => 'read');
    await turn.model(({ messages }) => {
      expect(JSON.stringify(messages)).toContain('This call was not started');
      return { role: 'assistant', content: [text] };
    });
  });
  expect(JSON.stringify(chat.messages)).toContain('This call was not started');
  expect(checkTranscript(chat.messages, { dialect: aiSDK })).toEqual([]);
});

it('a reply that asks a person is written without a result of the call that waits', () => {
  const writer = messageWriter(aiSDK);
  expect(aiSDK.calls(asking)).toEqual([]);
  expect(writer.reply(asking)).toEqual(asking.response.messages);
});

const decided = (approvalId: string, approved = true) => ({ type: 'tool-approval-response', approvalId, approved });
const byTool = (...content: { readonly type: string }[]) => ({ role: 'tool' as const, content });
const two: readonly AISDKMessage[] = [
  { role: 'user', content: 'Go.' },
  {
    role: 'assistant',
    content: [call, other, question, { ...question, approvalId: 'r', toolCallId: 'call_2' }],
  },
];

it('answers to the questions of one reply stand in one message, the first to each, and nothing else does', () => {
  const chat = new Conversation(aiSDK, { messages: two, waits: true });
  for (const answer of [byTool(decided('s')), byTool(decided('q'), decided('s')), byTool(...read('call_3').content)])
    expect(() => {
      chat.push(answer);
    }).toThrow('an answer must be to what waits here');
  chat.push(byTool(decided('q')));
  expect(chat.messages).toEqual([...two, byTool(decided('q'))]);
  for (const approved of [true, false])
    expect(() => {
      chat.push(byTool(decided('q', approved)));
    }).toThrow('an answer must be to what waits here');
  chat.push(byTool(decided('r', false)));
  expect(chat.messages).toEqual([...two, byTool(decided('q'), decided('r', false))]);
});

it('a turn that goes on with some answers waits for no other, until it is dropped', async () => {
  const chat = new Conversation(aiSDK, { messages: two, waits: true });
  const agent = new InterruptController();
  const report = await chat.runTurn(agent, byTool(decided('q')), async (turn) => {
    const content = chat.messages.at(-1)?.content;
    expect(content).toMatchObject([decided('q'), { type: 'tool-result', toolCallId: 'call_2' }]);
    expect(JSON.stringify(content)).toContain('was not started');
    expect(() => {
      chat.push(byTool(decided('r')));
    }).toThrow('an answer must be to what waits here');
    await turn.model(() => Promise.reject(new Error('500')));
  });
  expect(report.status).toBe('failed');
  expect(chat.drop(report)).toEqual([byTool(decided('q'))]);
  expect(chat.messages).toEqual(two);
  chat.push(byTool(decided('r'), decided('q')));
  expect(chat.messages).toEqual([...two, byTool(decided('r'), decided('q'))]);
});

it.each(['in its turn', 'before'])(
  'a yes that came %s is not carried out later where the turn was stopped before the call began, until it is dropped',
  async (how) => {
    const chat = new Conversation(aiSDK, { messages: two, waits: true });
    const agent = new InterruptController();
    const yes = byTool(decided('q'), decided('r'));
    if (how === 'before') chat.push(yes);
    const report = await chat.runTurn(agent, how === 'before' ? undefined : yes, () => {
      agent.cancel('user');
    });
    const content = chat.messages.at(-1)?.content;
    expect(content).toMatchObject([...yes.content, ...['call_1', 'call_2'].map((toolCallId) => ({ toolCallId }))]);
    expect(JSON.stringify(content).split(wordingTable.user['not-started'])).toHaveLength(3);
    expect(() => {
      chat.push(byTool(decided('r')));
    }).toThrow('an answer must be to what waits here');
    expect(chat.drop(report)).toEqual(how === 'before' ? [] : [yes]);
    expect(chat.messages).toEqual(how === 'before' ? [...two, yes] : two);
  },
);

it('an answer to what waits no longer when its turn begins fails that turn', async () => {
  const chat = new Conversation(aiSDK, { messages: two, waits: true });
  const agent = new InterruptController();
  const first = agent.runTurn(async () => {
    await Promise.resolve();
    chat.push('Never mind.');
  });
  const report = await chat.runTurn(agent, byTool(decided('q')), () => undefined, { whenBusy: 'queue' });
  await first;
  expect(report).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('what waits here') as string },
  });
});

it('an answer that was carried out stands with the result, and is not carried out again', () => {
  const answered: readonly AISDKMessage[] = [two[0], asking.response.messages[0], read('call_1'), going] as never;
  const { messages } = repair(answered, { dialect: aiSDK });
  expect(messages.at(-1)).toEqual(byTool(...going.content, ...read('call_1').content));
  expect(repair(messages, { dialect: aiSDK }).changes).toEqual([]);
});
