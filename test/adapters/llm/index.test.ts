import { expect, it } from 'vitest';
import * as door from '../../../src/adapters/llm/index.ts';

it('opens on these and nothing else', () => {
  expect(Object.keys(door).sort()).toEqual([
    'IncompleteReplyError',
    'cancellableCall',
    'cancellableStream',
    'describeUsage',
    'foldAISDK',
    'foldAnthropic',
    'foldGemini',
    'foldOllama',
    'foldOpenAIChat',
    'foldOpenAIResponses',
    'readStream',
  ]);
});
