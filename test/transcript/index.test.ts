import { expect, it } from 'vitest';

import * as door from '../../src/transcript/index.ts';

it('the door opens to seven names', () => {
  expect(Object.keys(door).sort()).toEqual([
    'Conversation',
    'checkTranscript',
    'dialectNamed',
    'heldByServer',
    'mapDialect',
    'repair',
    'wordingTable',
  ]);
});
