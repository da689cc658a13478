import { expect, it } from 'vitest';
import { copyWith } from '../../../../src/adapters/langchain/messages/message-copy.ts';

class Message {
  readonly content: unknown;
  readonly lc_kwargs: object;
  asked = 0;

  constructor(content: unknown) {
    this.content = content;
    this.lc_kwargs = { content };
    Object.defineProperty(this, 'lazy', { get: () => (this.asked += 1), configurable: true });
  }
}

it('a copy is of the same class, is written down with its own fields, and reads nothing', () => {
  const given = new Message('a');
  const copy = copyWith(given, { content: 'b' }) as Message;
  expect(copy).toBeInstanceOf(Message);
  expect([copy.content, copy.lc_kwargs, given.content, given.lc_kwargs, given.asked]).toEqual([
    'b',
    { content: 'b' },
    'a',
    { content: 'a' },
    0,
  ]);
  expect(copyWith({ content: 'a', name: 'n' }, { content: 'b' })).toEqual({ content: 'b', name: 'n' });
});
