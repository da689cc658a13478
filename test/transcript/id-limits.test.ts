/** Ids as long as a provider takes them, and a little longer or shorter: there is no room for the mark of a copy. */
import { describe, expect, it } from 'vitest';

import type { PartialOutput, ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { messageWriter, type TranscriptCall } from '../../src/transcript/index.ts';
import { settleAndVerify } from './support/arbitraries.ts';
import type { ConversationReply } from '../../src/testing/fast-check/transcripts/conversation.ts';
import type { Json } from './support/conversations/sights.ts';
import { loopOf } from './support/conversations/forms.ts';
import { formWriters, type FormWriter } from './support/conversations/writers.ts';

/** The longest id of each dialect; Gemini and Ollama take any. */
const limits: Readonly<Record<string, number>> = {
  anthropic: 256,
  'openai-chat': 40,
  'openai-responses': 64,
  'openai-agents': 40,
  'ai-sdk': 40,
  'ai-sdk-ui': 40,
  langchain: 40,
};

const reason = { kind: 'user', at: 0 } as unknown as PartialOutput['reason'];

function replyWith(ids: readonly string[], mark: string): ConversationReply {
  const calls = ids.map((id, i) => ({ mark: `${mark}${String(i)}`, id, name: 'read', isHalf: false }));
  return { text: `text<${mark}>`, calls };
}

function roundOf(writer: FormWriter, reply: ConversationReply): readonly object[] {
  return writer.round({ prompt: `ask<${reply.text}>`, replies: [reply], results: [] });
}

/** A reply as a model call gives it: items go together. */
function valueOf(said: object | readonly object[]): object {
  return Array.isArray(said) ? { output: said } : said;
}

function rowFor(input: string): ToolOutcome {
  const value = `done: ${/call<\w+>/.exec(input)?.[0] ?? ''}`;
  return { id: 'x', name: 'read', call: {}, ms: 1, status: 'completed', value };
}

/** Every id is short enough, and no two calls of one request have the same; each call has its one answer. */
function expectLegal(writer: FormWriter, messages: readonly object[], count: number): void {
  const sights = writer.see(messages as readonly Json[]);
  const calls = sights.flatMap((one) => (one !== 'border' && 'call' in one ? [String(one.call.id)] : []));
  const answers = sights.flatMap((one) => (one !== 'border' && 'answer' in one ? [String(one.answer.id)] : []));
  const limit = limits[writer.name] ?? Infinity;
  expect(calls).toHaveLength(count);
  expect([...answers].sort()).toEqual([...calls].sort());
  expect(calls.filter((id) => id.length > limit)).toEqual([]);
}

describe.each(formWriters.map((writer) => [writer.name, writer] as const))('%s', (name, writer) => {
  const limit = limits[name] ?? 40;
  const lengths = [30, 33, 34, 35, limit - 7, limit - 6, limit - 1, limit, limit + 1, limit + 40];
  const cases = lengths.flatMap((length) => [
    { length, ids: ['x'.repeat(length), 'x'.repeat(length)], form: 'shared' },
    { length, ids: [`${'x'.repeat(length - 1)}1`, `${'x'.repeat(length - 1)}2`], form: 'of each' },
  ]);

  it.each(cases)('a cut reply with ids of $length characters, $form, is legal behind its prompt', ({ ids }) => {
    const loop = loopOf(writer.dialect);
    if (loop === undefined) return;
    const partial = valueOf(writer.reply(replyWith(ids, 'a')));
    const prompt = roundOf(writer, { text: 'text<p>', calls: [] }).slice(0, 1);
    const said = messageWriter(loop).reply({ status: 'interjected', partial, reason });
    expectLegal(writer, settleAndVerify(writer.dialect, [...prompt, ...said], {}), 2);
  });

  it.each(cases)('ids of $length characters, $form, have the rows of their calls', ({ ids }) => {
    const history = roundOf(writer, replyWith(ids, 'a'));
    const outcomeOf = ({ input }: TranscriptCall) => rowFor(JSON.stringify(input));
    const settled = settleAndVerify(writer.dialect, history, { outcomeOf });
    expectLegal(writer, settled, 2);
    for (const mark of ['call<a0>', 'call<a1>']) expect(JSON.stringify(settled)).toContain(`done: ${mark}`);
  });

  it.each(cases)('ids of $length characters, $form, that come again in the next round', ({ ids }) => {
    const history = [...roundOf(writer, replyWith(ids, 'a')), ...roundOf(writer, replyWith(ids, 'b'))];
    expectLegal(writer, settleAndVerify(writer.dialect, history, {}), 4);
  });
});
