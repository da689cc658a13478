/**
 * What was stored may end anywhere, and in any state: a conversation of it is legal, loses nothing that completed, and takes what
 * comes next.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../../src/index.ts';
import { transcript } from '../../../src/testing/fast-check/index.ts';
import { dialectNamed, dialectNames } from '../../../src/transcript/dialects/table.ts';
import { checkTranscript, Conversation, repair, type TranscriptDialect } from '../../../src/transcript/index.ts';
import { propertyRuns } from '../../support/property-runs.ts';

type AnyDialect = TranscriptDialect<object, unknown>;
type Name = (typeof dialectNames)[number];

const named = (name: Name): AnyDialect => dialectNamed(name) as unknown as AnyDialect;
const waiting = ['ai-sdk', 'langchain', 'openai-agents'] as const;
const numRuns = propertyRuns(250);

const idNames = new Set(['id', 'callId', 'call_id', 'toolCallId', 'tool_call_id', 'tool_use_id']);

/** The messages with the ids of their calls restarted: by their number in the list, empty, or left out. */
function withIds(messages: readonly object[], how: (at: number) => string | undefined): readonly object[] {
  const seen = new Map<unknown, string | undefined>();
  const give = (id: unknown): string | undefined => {
    if (!seen.has(id)) seen.set(id, how(seen.size));
    return seen.get(id);
  };
  return JSON.parse(
    JSON.stringify(messages, (key, value: unknown) => (idNames.has(key) && value ? give(value) : value)),
  ) as readonly object[];
}

/** What the AI SDK has of a person's decisions, with and without a question and a call. */
const decisions: readonly object[] = [
  { role: 'tool', content: [] },
  { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'q', approved: true }] },
  { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'zz', approved: true }] },
];
const call = (toolCallId: string, input: unknown): object => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'pay',
  input,
});
const question = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' };
const asked = fc
  .subarray([call('a', {}), call('b', {}), call('c', '{"x'), question], { minLength: 1 })
  .map((content) => ({ role: 'assistant', content }));

/** A list that stops anywhere, with ids of any kind; of the AI SDK's also with decisions. */
function stored(name: Name): fc.Arbitrary<readonly object[]> {
  const ids = fc.constantFrom<((at: number) => string | undefined)[]>(
    (at) => `call_${String(at)}`,
    (at) => `call_${String(at % 2)}`,
    (at) => (at % 2 === 0 ? '' : `call_${String(at)}`),
    (at) => (at % 2 === 0 ? undefined : `call_${String(at)}`),
  );
  const ends: fc.Arbitrary<readonly object[]> =
    name === 'ai-sdk' ? fc.tuple(asked, fc.constantFrom(...decisions)) : fc.constant([]);
  return fc
    .tuple(
      fc.array(fc.tuple(transcript(name) as fc.Arbitrary<object[]>, ids), { maxLength: 2 }),
      fc.nat(3),
      fc.option(ends),
    )
    .map(([lists, cut, end]) => {
      const all = lists.flatMap(([list, how]) => withIds(list, how));
      return [...all.slice(0, Math.max(0, all.length - cut)), ...(end ?? [])];
    });
}

/** What completed, by its marks. */
function doneIn(messages: readonly object[]): readonly string[] {
  return [...new Set(JSON.stringify(messages).match(/(?:done|result|text|said)<\w+>/g) ?? [])].sort();
}

/** The list as `repair` accepts it; `undefined` if it refuses it. */
function repaired(dialect: AnyDialect, list: readonly object[]): readonly object[] | undefined {
  try {
    return repair(list, { dialect }).messages as readonly object[];
  } catch {
    return undefined;
  }
}

describe('a stored list', () => {
  it.each(dialectNames)('of %s is legal in a conversation, and nothing of it is lost', async (name) => {
    const dialect = named(name);
    await fc.assert(
      fc.asyncProperty(stored(name), async (messages) => {
        const whole = repaired(dialect, messages);
        fc.pre(whole !== undefined);
        for (const say of [
          (chat: Conversation<object>) => Promise.resolve(chat.push('Go on.')),
          (chat: Conversation<object>) => chat.runTurn(new InterruptController(), 'Go on.', () => 1),
        ]) {
          const chat = new Conversation(dialect, { messages });
          expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
          expect(doneIn(chat.messages)).toEqual(doneIn(whole));
          await say(chat);
          expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
          expect(doneIn(chat.messages)).toEqual(doneIn(whole));
        }
      }),
      { numRuns },
    );
  });

  it.each(waiting)('of %s whose calls wait is legal as soon as something else is said', async (name) => {
    const dialect = named(name);
    await fc.assert(
      fc.asyncProperty(stored(name), async (messages) => {
        const whole = repaired(dialect, messages);
        fc.pre(whole !== undefined);
        const chat = new Conversation(dialect, { messages, waits: true });
        expect(checkTranscript(chat.messages, { dialect }).filter(({ rule }) => rule !== 'call-answered')).toEqual([]);
        for (const one of [chat, chat.fork()]) {
          await one.runTurn(new InterruptController(), 'Never mind.', () => 1);
          expect(checkTranscript(one.messages, { dialect })).toEqual([]);
          expect(doneIn(one.messages)).toEqual(doneIn(whole));
        }
      }),
      { numRuns },
    );
  });

  it.each(waiting)('of %s whose calls wait takes their results by the ids that they had', (name) => {
    const dialect = named(name);
    const forms: Readonly<Record<string, (id: string) => readonly [object, object]>> = {
      'ai-sdk': (id) => [
        { role: 'assistant', content: [call(id, {})] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: id, toolName: 'pay', output: { type: 'text', value: 'x' } }],
        },
      ],
      'openai-agents': (id) => [
        { type: 'function_call', callId: id, name: 'pay', arguments: '{}', status: 'completed' },
        {
          type: 'function_call_result',
          callId: id,
          name: 'pay',
          status: 'completed',
          output: { type: 'text', text: 'x' },
        },
      ],
      langchain: (id) => [
        { role: 'assistant', content: '', tool_calls: [{ id, name: 'pay', args: {}, type: 'tool_call' }] },
        { role: 'tool', tool_call_id: id, name: 'pay', content: 'x', status: 'success' },
      ],
    };
    for (const id of ['call_0', 'functions.pay:0']) {
      const [asks, result] = (forms[name] as (id: string) => readonly [object, object])(id);
      const user = { role: 'user', content: 'Pay.' };
      const chat = new Conversation(dialect, { messages: [user, asks, result, user, asks], waits: true });
      expect(checkTranscript(chat.messages, { dialect }).map(({ rule }) => rule)).toEqual(['call-answered']);
      chat.push(result);
      expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
      expect(chat.messages).toHaveLength(6);
    }
  });
});
