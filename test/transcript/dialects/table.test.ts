import { describe, expect, it } from 'vitest';

import { dialectNamed, dialectNames, type DialectName } from '../../../src/transcript/dialects/table.ts';

describe('the table of dialects', () => {
  it('has these rows', () => {
    expect(dialectNames).toEqual([
      'anthropic',
      'openai-chat',
      'openai-responses',
      'openai-agents',
      'gemini',
      'ollama',
      'ai-sdk',
      'langchain',
    ]);
  });

  it.each(dialectNames)('%s is found by the name that it says', (name) => {
    expect(dialectNamed(name).name).toBe(name);
    expect(Object.isFrozen(dialectNamed(name))).toBe(true);
  });

  it('refuses a name that no dialect has', () => {
    for (const name of ['esperanto', '__proto__', 'constructor', 7]) {
      expect(() => dialectNamed(name as DialectName)).toThrow(/^name must be one of 'anthropic', 'openai-chat', /);
    }
  });
});
