import { describe, expect, it } from 'vitest';

import { contentText, plainMessage, replyOf } from '../../../../src/transcript/dialects/ollama/message.ts';
import { ollama } from '../../../../src/transcript/dialects/ollama/index.ts';

describe('a message of Ollama', () => {
  it('is the same object if its arguments are objects and its content a text', () => {
    const message = { role: 'assistant', content: 'x', tool_calls: [{ function: { name: 'read', arguments: {} } }] };
    expect(plainMessage(message)).toBe(message);
  });

  it('has arguments that were written as JSON as the object that they are, and what is none empty', () => {
    const call = (args: unknown): object => ({ function: { name: 'read', arguments: args } });
    const message = { role: 'assistant', content: '', tool_calls: [call('{"a":1}'), call('{"a'), call([1])] };
    expect(plainMessage(message)).toMatchObject({ tool_calls: [call({ a: 1 }), call({}), call({})] });
  });

  it('has one text for a list of parts', () => {
    expect(contentText([{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }])).toBe('a\nb');
    expect([contentText(null), contentText({ n: 1 })]).toEqual(['', '{"n":1}']);
  });

  it('is found in what carries it', () => {
    const message = { role: 'assistant', content: 'x' };
    expect([replyOf({ message, done: true }), replyOf({ role: 'user' }), replyOf(7)]).toEqual([
      message,
      undefined,
      undefined,
    ]);
  });

  it.each<[given: unknown, words: string]>([
    [null, 'messages[0] must be an object, got null'],
    [{ role: 7 }, 'messages[0].role must be a string, got 7'],
    [{ role: 'assistant', tool_calls: 'x' }, 'messages[0].tool_calls must be an array, got "x"'],
    [{ role: 'assistant', tool_calls: [null] }, 'messages[0].tool_calls[0] must be an object, got null'],
    [{ role: 'user', content: [7] }, 'messages[0].content[0] must be an object, got 7'],
  ])('is refused by its name: %j', (given, words) => {
    expect(() => ollama.check([given as never])).toThrow(words);
  });
});
