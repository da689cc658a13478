/**
 * A list of one dialect in another: refused, or legal and whole; and what only looks like one of another is taken.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { transcript } from '../../src/testing/fast-check/index.ts';
import { aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { checkTranscript, repair, type TranscriptDialect } from '../../src/transcript/index.ts';
import { dialectNamed, dialectNames } from '../../src/transcript/dialects/table.ts';

type AnyDialect = TranscriptDialect<object, unknown>;

const named = (name: (typeof dialectNames)[number]): AnyDialect => dialectNamed(name) as unknown as AnyDialect;
const pairs = dialectNames.flatMap((from) => dialectNames.filter((to) => to !== from).map((to) => [from, to] as const));

/** The messages as another dialect has them; `undefined` if it refuses them. */
function takenBy(dialect: AnyDialect, messages: readonly object[]): readonly object[] | undefined {
  try {
    return repair(messages, { dialect }).messages as readonly object[];
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return undefined;
  }
}

/** What a list says: its texts, calls and results, each by its mark. */
function saidIn(messages: readonly object[]): readonly string[] {
  return [...new Set(JSON.stringify(messages).match(/\w+<\d+>/g))].sort();
}

describe('a list of one dialect with a call, given to another', () => {
  it.each(pairs)('of %s is refused by %s, or is legal there and whole', (from, to) => {
    const [own, other] = [named(from), named(to)];
    fc.assert(
      fc.property(transcript(from), (written) => {
        const messages = repair(written as object[], { dialect: own }).messages as readonly object[];
        fc.pre(saidIn(messages).some((mark) => mark.startsWith('call<')));
        const taken = takenBy(other, messages);
        if (taken === undefined) return;
        expect(checkTranscript(taken, { dialect: other })).toEqual([]);
        expect(saidIn(taken)).toEqual(saidIn(messages));
      }),
      { numRuns: 40 },
    );
  });

  it.each(dialectNames)('of LangChain, as it is stored, is refused by %s', (to) => {
    const data = { content: '', tool_calls: [{ id: 'a', name: 'read', args: {} }] };
    expect(takenBy(named(to), [{ type: 'ai', data }])).toBeUndefined();
  });

  it.each(['anthropic', 'openai-chat', 'ai-sdk', 'gemini'] as const)(
    'of items that only say something is refused by %s',
    (to) => {
      for (const [role, type] of [
        ['user', 'input_text'],
        ['assistant', 'output_text'],
      ]) {
        expect(takenBy(named(to), [{ type: 'message', role, content: [{ type, text: 'Hi' }] }])).toBeUndefined();
      }
    },
  );

  it.each(dialectNames)('of a page is refused by %s', (to) => {
    fc.assert(
      fc.property(transcript(aiSDKUI), (written) => {
        fc.pre(to === 'gemini' ? written.length > 0 : /"tool-|dynamic-tool/.test(JSON.stringify(written)));
        expect(takenBy(named(to), written)).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });
});
