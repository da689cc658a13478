import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { expect, it } from 'vitest';

import {
  requireIds,
  requireOutcomes,
  requirePartials,
  requireRender,
  requireTurnStart,
} from '../../../src/transcript/dialects/requirements.ts';
import { requireRecords } from '../../../src/transcript/reading/require-messages.ts';

it('names the row that is none', () => {
  expect(() => requireOutcomes('rows', [{ id: 'a', status: 'failed' }, null])).toThrow('rows[1] must be an object');
  expect(() => requireOutcomes('rows', [{ id: 7, status: 'failed' }])).toThrow('rows[0].id must be a string, got 7');
  expect(() => requireRecords('rows', Array(2))).toThrow('rows[0] must be an object, got undefined');
});

it('puts partials into the order of their model calls', () => {
  const partials = [{ modelCall: 2 }, { modelCall: 1 }];
  expect(requirePartials('partials', partials).map(({ modelCall }) => modelCall)).toEqual([1, 2]);
});

it('has defaults', () => {
  expect([
    requireIds('ids', undefined),
    requireRender('render', undefined),
    requireTurnStart({}, [], openaiChat.rules as never),
  ]).toEqual(['normalise', undefined, undefined]);
});
