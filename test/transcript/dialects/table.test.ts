import { describe, expect, it } from 'vitest';

import { dialects } from '../../../src/transcript/dialects/table.ts';

describe('the table of dialects', () => {
  it('has these rows', () => {
    expect(Object.keys(dialects)).toEqual([
      'anthropic',
      'openai-chat',
      'openai-responses',
      'gemini',
      'ai-sdk',
      'langchain',
    ]);
  });

  it.each(Object.entries(dialects))('%s settles, checks and knows a turn', (_name, dialect) => {
    expect(Object.keys(dialect)).toEqual(expect.arrayContaining(['check', 'settle', 'turns']));
  });
});
