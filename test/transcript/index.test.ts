import { expect, it } from 'vitest';

import * as door from '../../src/transcript/index.ts';

it('opens to seven names', () => {
  expect(Object.keys(door).sort()).toEqual([
    'Conversation',
    'checkTranscript',
    'dialectNamed',
    'mapDialect',
    'repair',
    'settleTranscript',
    'wordingTable',
  ]);
});
