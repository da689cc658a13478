import { expect, it } from 'vitest';

import * as door from '../../src/transcript/index.ts';

it('the door opens to eight names', () => {
  expect(Object.keys(door).sort()).toEqual([
    'Conversation',
    'checkTranscript',
    'dialectNamed',
    'heldByServer',
    'mapDialect',
    'messageWriter',
    'repair',
    'wordingTable',
  ]);
});
