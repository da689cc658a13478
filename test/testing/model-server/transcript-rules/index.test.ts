import { expect, it } from 'vitest';
import * as rules from '../../../../src/testing/model-server/transcript-rules/index.ts';

it('judges for every protocol', () => {
  expect(Object.keys(rules).sort()).toEqual([
    'refuseAnthropic',
    'refuseGemini',
    'refuseOpenAIChat',
    'refuseResponsesItems',
  ]);
});
