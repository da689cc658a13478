import { expect, it } from 'vitest';

import { remoteName, requireId } from '../../../../src/adapters/internal/remote-work/remote-words.ts';

it('says the id beside the name, where there is one', () => {
  expect([remoteName('run', undefined), remoteName('run', 'r1')]).toEqual(['run', 'run r1']);
});

it.each(['', undefined, 7])('takes no name that is none, %o', (id) => {
  expect(() => requireId('id', id)).toThrow(/^id must be a string that is not empty, got /);
});
