import { expect, it } from 'vitest';

import * as door from '../../src/transcript/index.ts';

it('opens to four names', () => {
  expect(Object.keys(door).sort()).toEqual(['checkTranscript', 'settleTranscript', 'settleTurn', 'wordingTable']);
});
