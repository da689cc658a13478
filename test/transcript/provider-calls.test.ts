/** What a provider runs itself and does not end is told once, whatever the dialect and wherever it was cut. */
import { AIMessageChunk } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';

import { foldGemini, foldOpenAIResponses } from '../../src/adapters/llm/index.ts';
import { InterruptController } from '../../src/index.ts';
import { aiSDK, aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import {
  checkTranscript,
  Conversation,
  dialectNamed,
  mapDialect,
  messageWriter,
  repair,
  type TranscriptDialect,
} from '../../src/transcript/index.ts';
import { lostNote } from '../../src/core/foundation/results/lost-note.ts';

type AnyDialect = TranscriptDialect<object, unknown>;

const says = (...content: object[]): object => ({ role: 'assistant', content });
const text = { type: 'text', text: 'I pay.' };
const mcp = { type: 'mcp_tool_use', id: 's1', name: 'pay', server_name: 's', input: {} };
const server = { type: 'tool-call', toolCallId: 's1', toolName: 'pay', input: {}, providerExecuted: true };
const called = {
  type: 'mcp_call',
  id: 'mcp_1',
  server_label: 's',
  name: 'pay',
  arguments: '{}',
  status: 'in_progress',
};
const hosted = { type: 'hosted_tool_call', id: 'h_1', name: 'pay', status: 'in_progress' };

const folded = (item: object): object => {
  const fold = foldOpenAIResponses();
  fold.add({ type: 'response.output_item.added', output_index: 0, item } as never);
  return fold.value;
};

const partOf = (part: object): object => {
  const fold = foldGemini();
  for (const one of [{ text: 'I pay.' }, part])
    fold.add({ candidates: [{ content: { role: 'model', parts: [one] } }] } as object);
  return fold.value;
};

/** A reply that was cut in a call, and the name of that. */
const cuts: readonly [string, TranscriptDialect<never, unknown>, unknown, string][] = [
  ['a tool of Anthropic’s', anthropic, says(text, mcp), 'pay'],
  ['a tool in the AI SDK', aiSDK, says(text, server), 'pay'],
  ['an item that streams', openaiResponses, folded(called), 'pay'],
  [
    'a search that streams',
    openaiResponses,
    folded({ type: 'web_search_call', id: 'w', status: 'searching' }),
    'web_search',
  ],
  [
    'commands in a container',
    openaiResponses,
    folded({
      ...{ type: 'shell_call', id: 'sh', call_id: 'c', status: 'in_progress', action: { commands: ['pay'] } },
      environment: { type: 'container_reference', container_id: 'c' },
    }),
    'shell',
  ],
  ['a response that goes on', openaiResponses, { id: 'r', status: 'in_progress', output: [called] }, 'pay'],
  ['an item of OpenAI Agents', openaiAgents, { output: [hosted], usage: {} }, 'pay'],
  ['code of Gemini’s', gemini, partOf({ executableCode: { language: 'PYTHON', code: 'pay()' } }), 'code_execution'],
  ['a tool of Gemini’s', gemini, partOf({ toolCall: { toolType: 'MAPS', args: {}, id: 't' } }), 'MAPS'],
  [
    'a tool in LangChain’s stream',
    langchain,
    new AIMessageChunk({
      content: [
        { index: 0, ...text },
        { index: 1, type: 'server_tool_use', id: 's1', name: 'pay', input: '' },
        { index: 1, type: 'input_json_delta', input: '{"sum":10}' },
      ],
    }),
    'pay',
  ],
  [
    'a standard block of LangChain’s',
    langchain,
    says(text, { type: 'server_tool_call', id: 's', name: 'pay', args: {} }),
    'pay',
  ],
];

const count = (messages: readonly unknown[], note: string): number => JSON.stringify(messages).split(note).length - 1;

describe('what the provider ran when its reply was cut', () => {
  it.each(cuts)('is told and taken out: %s', async (_what, given, partial, name) => {
    const dialect = given as AnyDialect;
    const chat = new Conversation(dialect);
    const agent = new InterruptController();
    await chat.runTurn(agent, 'Pay.', (turn) =>
      turn.model((context) => {
        context.partial(partial);
        agent.cancel('user');
        throw context.signal.reason;
      }),
    );
    chat.push('And now?');
    expect(count(chat.messages, lostNote([name]))).toBe(1);
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
    const back = new Conversation(dialect, { messages: chat.messages });
    expect(back.messages).toEqual(chat.messages);
  });
});

const prompt = { role: 'user', content: 'Pay.' };
const ask = (words: string): object => ({ role: 'user', parts: [{ text: words }] });
const open: readonly [TranscriptDialect<never, unknown>, readonly object[], string][] = [
  [anthropic, [prompt, says(text, mcp), prompt], 'pay'],
  [aiSDK, [prompt, says(text, server), prompt], 'pay'],
  [openaiResponses, [prompt, called, prompt], 'pay'],
  [openaiAgents, [prompt, hosted, prompt], 'pay'],
  [
    gemini,
    [ask('Pay.'), { role: 'model', parts: [{ text: 'x' }, { executableCode: {} }] }, ask('So?')],
    'code_execution',
  ],
  [langchain, [prompt, says(text, { ...mcp, type: 'server_tool_use' }), prompt], 'pay'],
];

describe('what the provider ran in a list that was stored', () => {
  it.each(open)('is found, told once and taken out: $name', (given, messages, name) => {
    const dialect = given as AnyDialect;
    expect(checkTranscript(messages, { dialect })).toMatchObject([{ at: 1, rule: 'server-call-answered' }]);
    const repaired = repair(messages, { dialect });
    expect(count(repaired.messages, lostNote([name]))).toBe(1);
    expect(repaired.changes).toMatchObject([{ at: 1, rule: 'server-call-answered' }]);
    expect(repair(repaired.messages as object[], { dialect })).toEqual({ messages: repaired.messages, changes: [] });
    expect(new Conversation(dialect, { messages }).messages).toEqual(repaired.messages);
  });
});

describe.each([
  [anthropic, says({ ...mcp }, { type: 'tool_use', id: 't', name: 'read', input: {} })],
  [aiSDK, says(server, { type: 'tool-call', toolCallId: 't', toolName: 'read', input: {} })],
  [langchain, { ...says(mcp), tool_calls: [{ id: 't', name: 'read', args: {} }] }],
] as [TranscriptDialect<never, unknown>, object][])(
  'a call of the provider beside one of ours, in $name',
  (given, reply) => {
    const dialect = given as AnyDialect;
    it('is told when the turn is stopped', async () => {
      const chat = new Conversation(dialect);
      const agent = new InterruptController();
      await chat.runTurn(agent, 'Look.', async (turn) => {
        const { calls } = await turn.model(() => reply);
        await turn.tools(calls, () => 'ok');
        agent.cancel('user');
        turn.checkpoint();
      });
      chat.push('And now?');
      expect(count(chat.messages, lostNote(['pay']))).toBe(1);
      expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
    });
  },
);

const code = { type: 'server_tool_use', id: 's', name: 'code_execution', input: {} };
const made = { type: 'tool_use', id: 't', name: 'read', input: {}, caller: { type: 'code_execution', tool_id: 's' } };
const found = { type: 'code_execution_tool_result', tool_use_id: 's', content: {} };

describe('a message of a person while the provider runs something', () => {
  const own = mapDialect(dialectNamed('anthropic') as AnyDialect, {
    toWire: (one: { readonly wire: object }) => one.wire,
    fromWire: (wire) => ({ wire }),
  }) as unknown as AnyDialect;
  it.each([
    ['a reply that pauses', anthropic as unknown as AnyDialect, says(code)],
    ['code that calls a tool of ours', anthropic as unknown as AnyDialect, says(code, made)],
    ['the same in messages of one’s own', own, says(code, made)],
  ])('waits until it has ended: %s', async (_what, dialect, first) => {
    const chat = new Conversation(dialect);
    const agent = new InterruptController();
    const replies: object[] = [first, says(found), says(text)];
    const sent: string[] = [];
    const report = await chat.runTurn(agent, 'Go.', async (turn) => {
      for (;;) {
        const reply = await turn.model(({ messages }) => {
          sent.push(JSON.stringify(messages));
          expect(checkTranscript(messages, { dialect })).toEqual([]);
          return replies[sent.length - 1];
        });
        if (sent.length === 1) agent.interject('use pnpm');
        await turn.tools(reply.calls, () => 'ok');
        if (reply.isLast) return;
      }
    });
    expect([report.status, sent.map((one) => one.includes('use pnpm'))]).toEqual(['completed', [false, false, true]]);
    expect(count(chat.messages, 'cut while the provider ran')).toBe(0);
  });

  it('is what comes next where nothing more is asked', async () => {
    const chat = new Conversation(anthropic as unknown as AnyDialect);
    const agent = new InterruptController();
    const report = await chat.runTurn(agent, 'Go.', async (turn) => {
      await turn.model(() => says(code));
      agent.interject('use pnpm');
    });
    expect(report.undelivered).toMatchObject([{ message: 'use pnpm' }]);
    expect(chat.messages.slice(1)).toEqual([{ role: 'user', content: lostNote(['code_execution']) }]);
  });
});

const searched = { type: 'tool-result', toolCallId: 's1', toolName: 'pay', output: { type: 'json', value: ['hit'] } };
const mcpFound = { type: 'mcp_tool_result', tool_use_id: 's1', is_error: false, content: [] };
const ownOf = (dialect: TranscriptDialect<never, unknown>): AnyDialect =>
  mapDialect(dialect as unknown as AnyDialect, {
    toWire: (one: { readonly wire: object }) => one.wire,
    fromWire: (wire) => ({ wire }),
  }) as unknown as AnyDialect;

const ours = { type: 'tool_use', id: 't', name: 'read', input: {} };
const tool = { type: 'tool-call', toolCallId: 't', toolName: 'read', input: {} };
const model = (...parts: object[]): object => ({ role: 'model', parts });
const ran = { executableCode: { language: 'PYTHON', code: '"s1"' } };
const gave = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '"s1"' } };
const maps = { toolCall: { toolType: 'MAPS', args: {}, id: 's1' } };
const mapped = { toolResponse: { toolType: 'MAPS', response: {}, id: 's1' } };
/** A reply that begins a call of the provider’s, and the one that ends it. */
const later = [
  ['of Anthropic’s', anthropic, says(text, mcp), says(mcpFound, text)],
  ['of Anthropic’s beside one of ours', anthropic, says(mcp, ours), says(mcpFound, text)],
  ['in the AI SDK beside one of ours', aiSDK, says(server, tool), says(searched, text)],
  ['in LangChain', langchain, says(mcp), says(mcpFound, text)],
  ['in messages of one’s own', ownOf(anthropic), says(text, mcp), says(mcpFound, text)],
  ['of code of Gemini’s', gemini, model(ran), model(gave, { text: 'I pay.' })],
  ['of a tool of Gemini’s', gemini, model({ text: 'I pay.' }, maps), model(mapped, { text: 'I pay.' })],
  [
    'of a tool of Gemini’s beside one of ours',
    gemini,
    model(maps, { functionCall: { name: 'read', args: {} } }),
    model(mapped, { text: 'I pay.' }),
  ],
] as [string, TranscriptDialect<never, unknown>, object, object][];

describe.each(later)('a call of the provider whose result came in a later reply: %s', (_what, given, first, second) => {
  const dialect = given as unknown as AnyDialect;
  it.each(['whole', 'cut'])('stays with its result where that is %s', async (how) => {
    const chat = new Conversation(dialect);
    const agent = new InterruptController();
    const sent: object[][] = [];
    await chat.runTurn(agent, 'Look.', async (turn) => {
      const one = await turn.model(({ messages }) => (sent.push(messages), first));
      await turn.tools(one.calls, () => 'ok');
      expect(one.isLast).toBe(false);
      const other = await turn.model(({ messages, partial, signal }) => {
        sent.push(messages);
        partial(second);
        if (how === 'whole') return second;
        agent.cancel('user');
        throw signal.reason;
      });
      expect(other.isLast).toBe(true);
    });
    for (const messages of [...sent, chat.messages]) expect(checkTranscript(messages, { dialect })).toEqual([]);
    expect(count(chat.messages, 'cut while the provider ran')).toBe(0);
    expect(count(sent[1] as object[], 's1')).toBe(1);
    expect(count(chat.messages, 's1')).toBe(2);
    expect(chat.messages.slice(0, sent[1]?.length)).toEqual(sent[1]);
    expect(count(chat.messages, 'cut off before its end')).toBe(how === 'cut' ? 1 : 0);
    expect(new Conversation(dialect, { messages: chat.messages }).messages).toEqual(chat.messages);
    expect(repair(chat.messages, { dialect }).changes).toEqual([]);
  });

  it.each(['whole', 'cut'])(
    'stays with its result where the reply that had it broke before, and comes %s',
    async (how) => {
      const chat = new Conversation(dialect);
      const agent = new InterruptController();
      await chat.runTurn(agent, 'Look.', async (turn) => {
        const one = await turn.model(() => first);
        await turn.tools(one.calls, () => 'ok');
        const broken = turn.model(({ partial }) => {
          partial(second);
          throw new Error('529');
        });
        await expect(broken).rejects.toThrow('529');
        await turn.model(({ messages, partial, signal }) => {
          expect(checkTranscript(messages, { dialect })).toEqual([]);
          partial(second);
          if (how === 'whole') return second;
          agent.cancel('user');
          throw signal.reason;
        });
      });
      chat.push('And now?');
      expect(count(chat.messages, 's1')).toBe(2);
      expect(count(chat.messages, 'cut while the provider ran')).toBe(0);
      expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
    },
  );

  it('stays with its result where a person spoke meanwhile, and that stands behind it', async () => {
    const chat = new Conversation(dialect);
    await chat.runTurn(new InterruptController(), 'Look.', async (turn) => {
      const one = await turn.model(() => first);
      await turn.tools(one.calls, () => 'ok');
      await turn.model(({ messages }) => {
        expect(checkTranscript(messages, { dialect })).toEqual([]);
        chat.push('By the way.');
        return second;
      });
    });
    expect(count(chat.messages, 's1')).toBe(2);
    expect(count(chat.messages.slice(-1), 'By the way.')).toBe(1);
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
  });

  it('is written for a list of one’s own as the conversation has it', async () => {
    const chat = new Conversation(dialect);
    const { reply, toolResults } = messageWriter(dialect);
    const list: object[] = [];
    await chat.runTurn(new InterruptController(), 'Look.', async (turn) => {
      list.push(...chat.messages);
      for (const one of [first, second]) {
        const { calls } = await turn.model(() => one);
        const outcomes = await turn.tools(calls, () => 'ok');
        list.push(...reply(one), ...toolResults(outcomes));
      }
    });
    expect(list).toEqual(chat.messages);
  });

  it('is told once where none comes', async () => {
    const chat = new Conversation(dialect);
    await chat.runTurn(new InterruptController(), 'Look.', async (turn) => {
      const { calls } = await turn.model(() => first);
      await turn.tools(calls, () => 'ok');
    });
    expect(count(chat.messages, 'cut while the provider ran')).toBe(1);
    expect(count(chat.messages, 's1')).toBe(0);
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
  });
});

describe('a call of the provider beside others', () => {
  it('loses only what has none', async () => {
    const chat = new Conversation(anthropic as unknown as AnyDialect);
    const agent = new InterruptController();
    await chat.runTurn(agent, 'Look.', async (turn) => {
      await turn.model(() => says(mcp, code));
      await turn.model(({ partial, signal }) => {
        partial(says(mcpFound, text));
        agent.cancel('user');
        throw signal.reason;
      });
    });
    expect(chat.messages.slice(1)).toMatchObject([
      says(mcp),
      { role: 'assistant', content: [mcpFound, text, { type: 'text' }] },
      { role: 'user', content: lostNote(['code_execution']) },
    ]);
  });
});

describe('the end of a reply that ends what one before it began', () => {
  it.each([
    ['white space', { type: 'text', text: 'Found.\n' }],
    ['a thought', { type: 'thinking', thinking: 'so', signature: 's' }],
  ])('is legal where it was %s', async (_what, last) => {
    const chat = new Conversation(anthropic as unknown as AnyDialect);
    await chat.runTurn(new InterruptController(), 'Look.', async (turn) => {
      await turn.model(() => says(mcp));
      await turn.model(() => says(mcpFound, last));
    });
    expect(count(chat.messages, 's1')).toBe(2);
    expect(checkTranscript(chat.messages, { dialect: anthropic as unknown as AnyDialect })).toEqual([]);
  });
});

it('what a reply lost is told once nothing behind it goes on any more', async () => {
  const dialect = anthropic as unknown as AnyDialect;
  const chat = new Conversation(dialect);
  const replies = [says(code), says(text, mcp), says(mcpFound, text)];
  await chat.runTurn(new InterruptController(), 'Look.', async (turn) => {
    for (const reply of replies) {
      await turn.model(({ messages }) => {
        expect(checkTranscript(messages, { dialect })).toEqual([]);
        return reply;
      });
    }
  });
  expect(count(chat.messages.slice(-1), lostNote(['code_execution']))).toBe(1);
  expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
});

it('a response is not the last where it is incomplete, and the provider runs something still', async () => {
  const search = { type: 'web_search_call', id: 'w', status: 'in_progress' };
  const value = { id: 'r', object: 'response', status: 'incomplete', output: [search] };
  const chat = new Conversation(openaiResponses);
  const report = await chat.runTurn(new InterruptController(), 'Look.', (turn) => turn.model(() => value));
  expect(report.unwrap().isLast).toBe(false);
});

describe('code of Gemini’s', () => {
  const dialect = gemini as unknown as AnyDialect;

  it('is whole in neighbouring contents of the model, for those are one turn', () => {
    const list = [ask('Go.'), model(ran), model(gave), model({ text: 'one' })];
    expect(repair(list, { dialect }).changes).toEqual([]);
    expect(new Conversation(dialect, { messages: list }).messages).toEqual(list);
  });

  it.each([
    ['behind a person', [ask('Go.'), model(ran), ask('Well?'), model(gave, { text: 'one' })], [1, 3]],
    ['of none', [ask('Go.'), model(gave, { text: 'one' })], [1]],
  ] as [string, object[], number[]][])('has no result that stands %s', (_where, list, places) => {
    expect(checkTranscript(list, { dialect }).map(({ at }) => at)).toEqual(places);
    const { messages } = repair(list, { dialect });
    expect(checkTranscript(messages as object[], { dialect })).toEqual([]);
    expect(JSON.stringify(messages)).not.toContain('codeExecutionResult');
  });
});

describe('a reply that Anthropic pauses', () => {
  it.each([
    ['a message', { ...says(mcp, mcpFound, text), stop_reason: 'pause_turn' }],
    ['a fold', { message: says(text), stopReason: 'pause_turn', isComplete: true }],
  ])('is not the last, also where nothing of it is open: %s', async (_what, reply) => {
    const chat = new Conversation(anthropic as unknown as AnyDialect);
    const report = await chat.runTurn(new InterruptController(), 'Look.', async (turn) => {
      const paused = await turn.model(() => reply);
      const { isLast } = await turn.model(() => says(text));
      return [paused.status, paused.isLast, isLast];
    });
    expect(report.unwrap()).toEqual(['completed', false, true]);
  });
});

it('a call of the provider that a page loses is told in its place', () => {
  const part = { type: 'tool-pay', toolCallId: 's', state: 'input-available', input: {}, providerExecuted: true };
  const list = [
    { id: '1', role: 'user' as const, parts: [{ type: 'text', text: 'Pay.' }] },
    { id: '2', role: 'assistant' as const, parts: [part] },
  ];
  const { messages } = repair(list, { dialect: aiSDKUI });
  expect(messages[1]?.parts).toEqual([{ type: 'text', text: lostNote(['pay']), state: 'done' }]);
  expect(repair(messages, { dialect: aiSDKUI }).changes).toEqual([]);
});
