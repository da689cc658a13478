import { describe, expect, it } from 'vitest';
import type { AnswerPart } from '../../../src/adapters/ai-sdk/answer-parts.ts';
import { CallIds } from '../../../src/adapters/ai-sdk/call-ids.ts';

/** Each id that is asked for is another one. */
function idsOf() {
  const asked: string[] = [];
  const ids = new CallIds((given) => `${given}${String(asked.push(given))}`);
  return { ids, asked };
}

const part = (type: string, more: object): AnswerPart => ({ type, ...more });

describe('the ids of calls', () => {
  it('are the same in all pieces of one call, and others in the next of the same id', () => {
    const { ids } = idsOf();
    const pieces = ['tool-input-start', 'tool-input-delta', 'tool-input-end'].map((type) => part(type, { id: 'a' }));
    const once = [...pieces, part('tool-call', { toolCallId: 'a' })];
    expect([...once, ...once].map((one) => ids.part(one))).toMatchObject([
      ...[{ id: 'a1' }, { id: 'a1' }, { id: 'a1' }, { toolCallId: 'a1' }],
      ...[{ id: 'a2' }, { id: 'a2' }, { id: 'a2' }, { toolCallId: 'a2' }],
    ]);
  });

  it('of what the provider runs, and of everything else, stay what they are', () => {
    const { ids, asked } = idsOf();
    const others = [
      part('tool-input-start', { id: 'a', providerExecuted: true }),
      part('tool-call', { toolCallId: 'a', providerExecuted: true }),
      part('tool-result', { toolCallId: 'a' }),
      part('tool-call', {}),
      part('text-delta', { id: 'a' }),
    ];
    for (const one of others) expect(ids.part(one)).toBe(one);
    expect(asked).toEqual([]);
  });

  it('of a whole answer are changed in its content', () => {
    const { ids } = idsOf();
    const text = part('text', { text: 'one' });
    const answer = { content: [text, part('tool-call', { toolCallId: 'a' })], usage: 1 };
    expect(ids.answer(answer)).toEqual({ content: [text, { type: 'tool-call', toolCallId: 'a1' }], usage: 1 });
    const plain = { content: [text] };
    expect([ids.answer(plain), ids.answer(undefined), ids.answer('text')]).toEqual([plain, undefined, 'text']);
    expect(ids.answer(plain)).toBe(plain);
  });
});
