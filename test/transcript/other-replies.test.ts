/**
 * A reply of one dialect in a conversation of another, however it comes: refused by name, or legal and whole. Nothing of it is
 * lost without a word, and no loop ends because its calls were not seen.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  foldAISDK,
  foldAnthropic,
  foldGemini,
  foldOllama,
  foldOpenAIChat,
  foldOpenAIResponses,
} from '../../src/adapters/llm/index.ts';
import { dialectNamed, dialectNames } from '../../src/transcript/dialects/table.ts';
import { checkTranscript, Conversation, mapDialect, messageWriter } from '../../src/transcript/index.ts';
import { taken, type AnyDialect } from './support/replies/taken.ts';

type Name = (typeof dialectNames)[number];
type Fold = () => { add(event: never): void; readonly value: unknown };

interface Said {
  readonly text: string;
  readonly ids: readonly string[];
}

const named = (name: Name): AnyDialect => dialectNamed(name) as unknown as AnyDialect;
const pairs = dialectNames.flatMap((from) => dialectNames.filter((to) => to !== from).map((to) => [from, to] as const));
const input = (id: string): object => ({ mark: `call<${id}>` });
const json = (id: string): string => JSON.stringify(input(id));
const some = <T>(isThere: boolean, one: T): T[] => (isThere ? [one] : []);
const folded = (fold: Fold, events: readonly object[]): unknown => {
  const state = fold();
  for (const event of events) state.add(event as never);
  return state.value;
};

const chatMessage = ({ text, ids }: Said, args: (id: string) => unknown): object => ({
  role: 'assistant',
  content: text,
  ...(ids.length > 0 && {
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'pay', arguments: args(id) } })),
  }),
});

const blocks = ({ text, ids }: Said, call: (id: string) => object): object[] => [
  ...some(text !== '', { type: 'text', text }),
  ...ids.map(call),
];

const items = ({ text, ids }: Said, key: 'call_id' | 'callId'): object[] => [
  ...some(text !== '', {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text }],
  }),
  ...ids.map((id) => ({ type: 'function_call', [key]: id, name: 'pay', arguments: json(id), status: 'completed' })),
];

/** A reply of each dialect, as the provider gives it, as its message, and as the fold of its stream. */
const forms: Readonly<Record<Name, (said: Said) => readonly unknown[]>> = {
  anthropic(said) {
    const content = blocks(said, (id) => ({ type: 'tool_use', id, name: 'pay', input: input(id) }));
    const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'x', stop_reason: null };
    const events = content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]);
    const stream = [{ type: 'message_start', message }, ...events, { type: 'message_stop' }];
    return [{ ...message, content }, { role: 'assistant', content }, folded(foldAnthropic, stream)];
  },
  'openai-chat'(said) {
    const message = chatMessage(said, json);
    const delta = {
      ...message,
      tool_calls: said.ids.map((id, index) => ({ index, id, function: { name: 'pay', arguments: json(id) } })),
    };
    const stream = [{ choices: [{ index: 0, delta, finish_reason: 'stop' }] }];
    return [message, { choices: [{ index: 0, message }] }, folded(foldOpenAIChat, stream)];
  },
  'openai-responses'(said) {
    const output = items(said, 'call_id');
    const done = output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }));
    const response = { id: 'resp_1', status: 'completed', output };
    return [response, output, folded(foldOpenAIResponses, [...done, { type: 'response.completed', response }])];
  },
  'openai-agents': (said) => {
    const output = items(said, 'callId');
    return [output, { usage: {}, output, responseId: 'resp_1' }];
  },
  gemini({ text, ids }) {
    const calls = ids.map((id) => ({ functionCall: { id, name: 'pay', args: input(id) } }));
    const content = { role: 'model', parts: [...some(text !== '', { text }), ...calls] };
    const response = { candidates: [{ content, finishReason: 'STOP' }] };
    return [content, response, folded(foldGemini, [response])];
  },
  ollama(said) {
    const answer = { message: chatMessage(said, input), done: true };
    return [answer, answer.message, folded(foldOllama, [answer])];
  },
  'ai-sdk'(said) {
    const call = (id: string): object => ({ type: 'tool-call', toolCallId: id, toolName: 'pay', input: input(id) });
    const content = blocks(said, call);
    const text = [
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', text: said.text },
      { type: 'text-end', id: '0' },
    ];
    const stream = [
      { type: 'start-step' },
      ...text,
      ...said.ids.map(call),
      { type: 'finish-step' },
      { type: 'finish' },
    ];
    const message = { role: 'assistant', content };
    return [message, { content, response: { messages: [message] } }, folded(foldAISDK, stream)];
  },
  langchain: ({ text, ids }) => {
    const calls = ids.map((id) => ({ type: 'tool_call', id, name: 'pay', args: input(id) }));
    const fields = { content: text, ...(calls.length > 0 && { tool_calls: calls }) };
    return [
      { role: 'assistant', ...fields },
      { type: 'ai', ...fields },
    ];
  },
};

const replies = fc
  .record({ text: fc.constantFrom('', 'said<1>'), ids: fc.subarray(['a1', 'b2'] as const), form: fc.nat(2) })
  .filter(({ text, ids }) => text !== '' || ids.length > 0);

/** The marks of what a reply said. */
function marksIn(value: unknown): readonly string[] {
  return [...new Set(JSON.stringify(value).match(/\w+<\w+>/g) ?? [])].sort();
}

describe('a reply of one dialect', () => {
  it.each(pairs)('of %s in a conversation of %s is refused, or is legal and whole', async (from, to) => {
    const dialect = named(to);
    await fc.assert(
      fc.asyncProperty(replies, fc.boolean(), async ({ form, ...said }, isCut) => {
        const written = forms[from](said);
        const value = written[form % written.length];
        const { chat, report, calls } = await taken(dialect, value, isCut);
        if (report.status === 'failed') {
          expect(report.error).toBeInstanceOf(TypeError);
          expect(String(report.error)).toContain(to);
          expect(() => dialect.calls(value)).toThrow(TypeError);
          const outcome = { status: 'interjected', partial: value, reason: { kind: 'user' } };
          expect(() => messageWriter(dialect).reply(outcome)).toThrow(TypeError);
          expect(chat.messages).toHaveLength(1);
          return;
        }
        expect(report.status).toBe(isCut ? 'cancelled' : 'completed');
        expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
        expect(new Conversation(dialect, { messages: chat.messages }).messages).toEqual(chat.messages);
        expect(marksIn(chat.messages)).toEqual(
          marksIn(said.text === '' ? said.ids.map(input) : [said.text, ...said.ids.map(input)]),
        );
        if (!isCut) expect(calls.map((call) => call.input)).toEqual(said.ids.map(input));
      }),
      { numRuns: 60 },
    );
  });

  it.each(dialectNames)('of %s is taken by its own dialect and by one that is mapped to it', async (name) => {
    const own = named(name);
    const mapped = mapDialect<{ readonly wire: object }, object>(own, {
      toWire: ({ wire }) => wire,
      fromWire: (wire) => ({ wire }),
    }) as unknown as AnyDialect;
    for (const said of [
      { text: 'said<1>', ids: [] },
      { text: '', ids: ['a1'] },
      { text: 'said<1>', ids: ['a1', 'b2'] },
    ]) {
      for (const dialect of [own, mapped]) {
        for (const value of forms[name](said)) {
          const { report, calls } = await taken(dialect, value, false);
          expect(report.status).toBe('completed');
          expect(calls.map((call) => call.input)).toEqual(said.ids.map(input));
          expect((await taken(dialect, value, true)).report.status).toBe('cancelled');
        }
      }
    }
  });

  it('is refused by the dialect that a conversation of messages of one’s own is mapped to', async () => {
    const mapped = mapDialect<{ readonly wire: object }, object>(named('openai-chat'), {
      toWire: ({ wire }) => wire,
      fromWire: (wire) => ({ wire }),
    });
    const [value] = forms.anthropic({ text: 'said<1>', ids: ['a1'] });
    for (const isCut of [false, true]) {
      const { report } = await taken(mapped as unknown as AnyDialect, value, isCut);
      expect(String(report.status === 'failed' && report.error)).toContain('openai-chat, got one with tool_use');
    }
  });

  it('that is an answer of Ollama’s is refused by every other one, also where it says a text alone', async () => {
    const value = { model: 'm', message: { role: 'assistant', content: 'x' }, done: true, done_reason: 'stop' };
    for (const name of dialectNames.filter((one) => one !== 'ollama')) {
      for (const isCut of [false, true]) {
        const { report } = await taken(named(name), value, isCut);
        expect(report.status === 'failed' && report.error).toBeInstanceOf(TypeError);
        expect(String(report.status === 'failed' && report.error)).toContain(name);
      }
    }
  });

  it('that holds a call of the old form is refused by each, but where it stands in a list of Chat Completions', async () => {
    const message = { role: 'assistant', content: null, function_call: { name: 'pay', arguments: '{}' } };
    for (const name of dialectNames) {
      for (const value of [message, { choices: [{ message }] }]) {
        for (const isCut of [false, true]) {
          const { report } = await taken(named(name), value, isCut);
          expect(String(report.status === 'failed' && report.error)).toContain(`${name}, got one with function_call`);
        }
      }
    }
    const list = [{ role: 'user', content: 'Hi' }, message, { role: 'function', name: 'pay', content: 'paid' }];
    expect(new Conversation(named('openai-chat'), { messages: list }).messages).toEqual(list);
  });

  it('that was cut may be anything else that a program had kept of it', async () => {
    for (const name of dialectNames) {
      for (const kept of [undefined, null, 7, { percent: 3 }, [], [null], { message: null }, { role: 'user' }]) {
        const { chat, report } = await taken(named(name), kept, true);
        expect(report.status).toBe('cancelled');
        expect(chat.messages).toHaveLength(1);
      }
    }
    const { report } = await taken(named('openai-agents'), { role: 'user', content: 'x' }, true);
    expect(report.status).toBe('cancelled');
  });
});
