import { describe, expect, it } from 'vitest';
import {
  cutReply,
  finalWordsOf,
  hasCalls,
  hasText,
  messageOfChunks,
  messageOfResult,
  textIn,
} from '../../../../src/adapters/langchain/messages/replies.ts';

class Chunk {
  readonly content: string;
  constructor(content: string) {
    this.content = content;
  }
  concat(next: Chunk): Chunk {
    return new Chunk(this.content + next.content);
  }
}

it('the chunks of a stream are one message, by their own rule', () => {
  expect(messageOfChunks([new Chunk('a'), new Chunk('b'), new Chunk('c')])).toEqual(new Chunk('abc'));
  expect(messageOfChunks([{ content: 'a' }])).toEqual({ content: 'a' });
  expect(messageOfChunks([])).toBeUndefined();
  expect(messageOfChunks([{ content: 'a' }, { content: 'b' }])).toBeUndefined();
});

it('the message of a result is that of its first prompt', () => {
  expect(messageOfResult({ generations: [[{ message: 'a' }], [{ message: 'b' }]] })).toBe('a');
  expect([messageOfResult({}), messageOfResult({ generations: [] })]).toEqual([undefined, undefined]);
});

describe('final words', () => {
  it.each([
    ['a text', { content: 'hi' }, 'hi'],
    ['text parts', { content: [{ type: 'text', text: 'h' }, { type: 'image' }, { type: 'text', text: 'i' }] }, 'hi'],
  ])('are those of %s', (_title, message, text) => {
    expect(finalWordsOf(message)).toEqual({ text, message: { role: 'assistant', content: text } });
    expect(textIn((message as { content: unknown }).content)).toBe(text);
  });

  it.each([[{ content: 'hi', tool_calls: [{}] }], [{ content: '' }], [undefined], [{}]])('are not in %j', (message) => {
    expect(finalWordsOf(message)).toBeUndefined();
  });
});

it('a cut answer is what was said of it, and nothing at the least', () => {
  const message = { role: 'assistant', content: 'hi' };
  expect(cutReply({ text: 'hi', message })).toEqual({ text: 'hi', message, isComplete: false });
  expect(cutReply(undefined)).toEqual({ message: { role: 'assistant', content: '' }, isComplete: false });
});

it('a chunk brings calls, words, both or neither', () => {
  const call = { content: '', tool_call_chunks: [{ index: 0 }] };
  const words = { content: [{ type: 'text', text: 'a' }], tool_call_chunks: [] };
  expect([call, words, {}, null, undefined].map(hasCalls)).toEqual([true, false, false, false, false]);
  expect([call, words, {}, null, undefined].map(hasText)).toEqual([false, true, false, false, false]);
});
