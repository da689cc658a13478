import { expect, it } from 'vitest';
import * as rules from '../../../../src/testing/model-server/transcript-rules/index.ts';

it('the table of rules judges for every protocol', () => {
  expect(Object.keys(rules).sort()).toEqual([
    'refuseAnthropic',
    'refuseGemini',
    'refuseOpenAIChat',
    'refuseResponsesItems',
  ]);
});
