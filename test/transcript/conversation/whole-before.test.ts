import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { transcript } from '../../../src/testing/fast-check/transcripts/transcript.ts';
import { wholeBefore } from '../../../src/transcript/conversation/whole-before.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { aiSDK } from '../../../src/transcript/dialects/ai-sdk/index.ts';
import { openaiChat, type OpenAIChatMessage } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../../src/transcript/dialects/openai-responses/index.ts';
import { checkTranscript, Conversation, mapDialect, repair } from '../../../src/transcript/index.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import type { AnyDialect } from '../support/arbitraries.ts';
import { dialectForms } from '../support/conversations/forms.ts';

interface Mine {
  readonly wire?: object;
}

/** Messages of one's own with the same rules; one without a wire message never goes to the provider. */
function mapped(dialect: AnyDialect<object>) {
  return mapDialect<Mine, object>(dialect, { toWire: ({ wire }) => wire, fromWire: (wire) => ({ wire }) });
}

const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'r', arguments: '{}' } }],
} as OpenAIChatMessage;
const result = { role: 'tool', tool_call_id: 'c', content: 'v' } as OpenAIChatMessage;
const said = (content: string): OpenAIChatMessage => ({ role: 'user', content });

describe('pieces of a conversation', () => {
  const rules = rulesOf({ dialect: openaiChat });

  it('go one by one where each can be sent alone, and a call only with its result', () => {
    const pieces = [said('a'), call, result, said('b')].map((one) => [one]);
    expect([0, 1, 2, 3, 4].map((end) => wholeBefore(rules, pieces, end))).toEqual([0, 1, 1, 3, 4]);
  });

  it('of several messages are never divided', () => {
    expect(wholeBefore(rules, [[said('a'), said('b')], [said('c')]], 1)).toBe(0);
    expect(wholeBefore(rules, [], 0)).toBe(0);
  });
});

describe('how often pieces are read, from 1,000 to 8,000 of them,', () => {
  const { check, ...others } = rulesOf({ dialect: openaiChat });
  /** Messages read for each that there is. */
  const readsFor = (pieces: readonly (readonly OpenAIChatMessage[])[], end: number): number => {
    let reads = 0;
    const counted: typeof check = (messages, ...how) => {
      reads += messages.length;
      check(messages, ...how);
    };
    wholeBefore({ ...others, check: counted }, pieces, end);
    return reads / pieces.length;
  };
  const plain = (size: number) => Array.from({ length: size }, () => [said('a')]);
  const batch = (size: number) => {
    const calls = Array.from({ length: size - 1 }, (_, n) => ({ ...first(call), id: `c${String(n)}` }));
    const results = calls.map(({ id }) => [{ ...result, tool_call_id: id } as OpenAIChatMessage]);
    return [[{ ...call, tool_calls: calls } as OpenAIChatMessage], ...results];
  };
  const first = (one: object): object => (one as { tool_calls: [object] }).tool_calls[0];
  const ways: Readonly<Record<string, (size: number) => readonly (readonly OpenAIChatMessage[])[]>> = {
    'that can go one by one': plain,
    'of one batch of calls': batch,
    'behind a call that nothing answers': (size) => [[call], ...plain(size - 1)],
  };

  it.each(Object.entries(ways))('is the same of pieces %s', (_, pieces) => {
    for (const part of [0.5, 1]) {
      const [few, many] = [1_000, 8_000].map((size) => readsFor(pieces(size), size * part)) as [number, number];
      expect(many / few).toBeCloseTo(1, 1);
      expect(many).toBeLessThan(4);
    }
  });
});

describe.each(dialectForms)('what was stored of $name', ({ dialect, name }) => {
  const own = mapped(dialect);
  test.prop([transcript(dialect), fc.boolean(), fc.boolean()], { numRuns: propertyRuns(60) })(
    'is legal wherever it is compacted, of a fork and of messages of one’s own too',
    (cut, isForked, isNoted) => {
      const stored = repair(cut, { dialect }).messages as object[];
      const notice: Mine[] = isNoted ? [{}] : [];
      const owned = [...stored.flatMap((wire): Mine[] => [{ wire }, ...notice]), ...notice];
      for (let upTo = 0; upTo <= stored.length; upTo += 1) expectLegal(dialect, stored, upTo);
      for (let upTo = 0; upTo <= owned.length; upTo += 1) expectLegal(own, owned, upTo);

      function expectLegal<M extends object>(of: AnyDialect<M>, messages: readonly M[], upTo: number): void {
        const first = new Conversation(of, { messages });
        const chat = isForked ? first.fork() : first;
        const before = chat.messages;
        if (upTo > before.length) return;
        chat.compact(['S'], { upTo });
        expect(checkTranscript(chat.messages, { dialect: of }), `${name}, ${String(upTo)}`).toEqual([]);
        const kept = before.slice(upTo);
        expect(kept.filter((one) => !chat.messages.includes(one))).toEqual([]);
        if (upTo === before.length) expect(chat.messages).toHaveLength(1);
      }
    },
    120_000,
  );
});

it('an answer to a call that waits is not torn from it when the conversation is compacted', () => {
  const waiting = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} }] };
  const messages = [{ role: 'user', content: 'Pay.' }, waiting] as never[];
  const chat = new Conversation(aiSDK, { messages, waits: true });
  const output = { type: 'text', value: 'paid' };
  chat.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'pay', output }] } as never);
  chat.compact(['S'], { upTo: 2 });
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  chat.compact(['S']);
  expect(chat.messages).toHaveLength(1);
});

it('reasoning is not torn from the call that it led to when the conversation is compacted', () => {
  const items = [
    { role: 'user', content: 'Pay.' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', call_id: 'a', name: 'pay', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'paid' },
  ] as never[];
  const chat = new Conversation(openaiResponses, { messages: items });
  chat.compact(['S'], { upTo: 2 });
  expect(chat.messages).toHaveLength(4);
});
