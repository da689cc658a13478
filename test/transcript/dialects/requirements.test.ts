import { expect, it } from 'vitest';

import { requireIds, requireOutcomes, requireRender } from '../../../src/transcript/dialects/requirements.ts';
import { requireRecords } from '../../../src/transcript/reading/require-messages.ts';

it('names the row that is none', () => {
  expect(() => requireOutcomes('rows', [{ id: 'a', status: 'failed' }, null])).toThrow('rows[1] must be an object');
  expect(() => requireOutcomes('rows', [{ id: 7, status: 'failed' }])).toThrow('rows[0].id must be a string, got 7');
  expect(() => requireRecords('rows', Array(2))).toThrow('rows[0] must be an object, got undefined');
});

it('has defaults', () => {
  expect([requireIds('ids', undefined), requireRender('render', undefined)]).toEqual(['normalise', undefined]);
});
