import { describe, expect, it } from 'vitest';
import { withoutUnsignedThoughts } from '../../../src/adapters/langchain/signed-thoughts.ts';

/** As the SDK's messages are: a class of its own, whose instances others hold too. */
class Message {
  readonly id = 'm';
  content: unknown;
  tool_calls: unknown[];

  constructor(content: unknown, calls: unknown[] = []) {
    this.content = content;
    this.tool_calls = calls;
  }
}

const unsigned = { type: 'thinking', thinking: 'use n', index: 0 };
const blank = { type: 'thinking', thinking: 'use n', signature: '' };
const signed = { type: 'thinking', thinking: 'use pnpm', signature: 's', index: 1 };
const text = { type: 'text', text: 'With pnpm.' };

describe('messages for a provider that signs thoughts', () => {
  it('are themselves where every thought is signed', () => {
    const messages = [{ role: 'user', content: 'go' }, new Message([signed, text]), new Message('said'), null, 7];
    expect(withoutUnsignedThoughts(messages)).toBe(messages);
  });

  it.each([unsigned, blank])('are without %j, and otherwise the same', (cut) => {
    const message = new Message([cut, signed, text]);
    const [prompt, copy] = withoutUnsignedThoughts(['go', message]);
    expect(prompt).toBe('go');
    expect(copy).toBeInstanceOf(Message);
    expect(copy).toEqual(new Message([signed, text]));
    expect(message.content).toEqual([cut, signed, text]);
  });

  it('are without a message that was nothing but such a thought, unless it calls a tool', () => {
    const call = { name: 'note', args: {}, id: '1' };
    const kept = withoutUnsignedThoughts(['go', new Message([unsigned]), new Message([unsigned], [call]), 'on']);
    expect(kept).toEqual(['go', new Message([], [call]), 'on']);
  });
});
