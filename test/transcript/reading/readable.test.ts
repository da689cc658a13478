import { describe, expect, it } from 'vitest';

import { messageAt, reading } from '../../../src/transcript/reading/readable.ts';

const fail = (error: Error) => (): never => {
  throw error;
};
const unreadable = {
  deep: {
    get text(): string {
      throw new Error('not today');
    },
  },
};

describe('reading', () => {
  it('gives what was read, also of values that nobody could read', () => {
    expect(reading([unreadable], messageAt, () => 7)).toBe(7);
  });

  it('names the first value that cannot be read, with what was thrown as the cause', () => {
    const error = new Error('not today');
    const read = (): unknown => reading([{ text: 'x' }, unreadable], messageAt, fail(error));
    expect(read).toThrow(expect.objectContaining({ message: 'messages[1] could not be read', cause: error }));
    expect(read).toThrow(TypeError);
  });

  it('lets every other error pass as it is', () => {
    const error = new RangeError('too many');
    expect(() => reading([{ text: 'x' }], messageAt, fail(error))).toThrow(error);
  });
});
