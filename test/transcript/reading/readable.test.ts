import { describe, expect, it } from 'vitest';

import { mapMessages } from '../../../src/transcript/reading/readable.ts';

const unreadable = {
  deep: {
    get text(): string {
      throw new Error('not today');
    },
  },
};

describe('mapMessages', () => {
  it('gives what was made of each, also of values that nobody could read', () => {
    expect(mapMessages([unreadable, unreadable], (_message, name) => name)).toEqual(['messages[0]', 'messages[1]']);
  });

  it('names the first value that cannot be read, with what was thrown as the cause', () => {
    const read = (): unknown => mapMessages([{ deep: { text: 'x' } }, unreadable], ({ deep }) => deep.text);
    const cause = new Error('not today');
    expect(read).toThrow(expect.objectContaining({ message: 'messages[1] could not be read', cause }));
    expect(read).toThrow(TypeError);
  });

  it('sees holes, and lets an error that names the message pass as it is', () => {
    const error = new TypeError('messages[1] must be a message');
    const read = (): unknown =>
      mapMessages(Array<unknown>(2), (_message, name) => {
        if (name === 'messages[1]') throw error;
      });
    expect(read).toThrow(error);
  });
});
