import { expect, it } from 'vitest';

import * as door from '../../src/transcript/index.ts';

it('opens to five names', () => {
  expect(Object.keys(door).sort()).toEqual([
    'checkTranscript',
    'dialectNamed',
    'settleTranscript',
    'settleTurn',
    'wordingTable',
  ]);
});
