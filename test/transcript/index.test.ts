import { expect, it } from 'vitest';

import * as door from '../../src/transcript/index.ts';

it('opens to six names', () => {
  expect(Object.keys(door).sort()).toEqual([
    'Conversation',
    'checkTranscript',
    'dialectNamed',
    'mapDialect',
    'repair',
    'wordingTable',
  ]);
});
