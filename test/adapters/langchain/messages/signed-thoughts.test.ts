import { describe, expect, it } from 'vitest';
import { withoutUnsignedThoughts } from '../../../../src/adapters/langchain/messages/signed-thoughts.ts';

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

  describe('in standard blocks', () => {
    const about = { output_version: 'v1', model_provider: 'anthropic' };
    const of = (content: unknown, response_metadata: object = about) => ({
      role: 'assistant',
      content,
      response_metadata,
    });
    const thought = { type: 'reasoning', reasoning: 'use n', index: 0 };
    const seal = { type: 'non_standard', value: { type: 'thinking', signature: 's', index: 0 } };

    it('are without a thought that no block behind it signs', () => {
      expect(withoutUnsignedThoughts(['go', of([thought, text])])).toEqual(['go', of([text])]);
      expect(withoutUnsignedThoughts([of([thought]), of([thought, thought, seal])])).toEqual([of([thought, seal])]);
    });

    it.each([
      ['it is signed', of([{ ...thought, signature: 's' }, text])],
      ['the next block signs it', of([thought, seal, text])],
      ['its provider signs nothing', of([thought, text], { output_version: 'v1', model_provider: 'openai' })],
    ])('are themselves where %s', (_why, message) => {
      const messages = ['go', message];
      expect(withoutUnsignedThoughts(messages)).toBe(messages);
    });
  });

  it('are without a message that was nothing but such a thought, unless it calls a tool', () => {
    const call = { name: 'note', args: {}, id: '1' };
    const kept = withoutUnsignedThoughts(['go', new Message([unsigned]), new Message([unsigned], [call]), 'on']);
    expect(kept).toEqual(['go', new Message([], [call]), 'on']);
  });
});
