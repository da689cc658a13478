import { describe, expect, it } from 'vitest';

import { anthropic, type AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import { checkTranscript, repair } from '../../src/transcript/index.ts';

const stored = [
  { role: 'user', content: 'Clean up' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'remove', input: {} }] },
] as AnthropicMessage[];

describe('the repair of a stored transcript', () => {
  it('answers what nobody answered, and a second time changes nothing', () => {
    const { messages, changes } = repair(stored, { dialect: anthropic });
    expect(JSON.stringify(messages.at(-1))).toContain('It may have run');
    expect(changes.map(({ rule }) => rule)).toEqual(['call-answered']);
    expect(checkTranscript(messages, { dialect: anthropic })).toEqual([]);
    const again = repair(messages, { dialect: anthropic });
    expect([again.changes, again.messages.every((one, at) => one === messages[at])]).toEqual([[], true]);
  });

  it('asks for what became of a call', () => {
    const { messages } = repair(stored, {
      dialect: anthropic,
      outcomeOf: (call) => ({ id: 'ours', name: call.name, call, ms: 1, status: 'completed', value: 'removed' }),
    });
    expect(JSON.stringify(messages.at(-1))).toContain('"tool_use_id":"a","content":"removed"');
  });

  it('takes out what a provider does not go on with', () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const open = [
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: [search] },
    ] as AnthropicMessage[];
    expect(repair(open, { dialect: anthropic }).messages).toEqual(open.slice(0, 1));
  });

  it('refuses what is no list of messages, and an outcomeOf that is no function', () => {
    expect(() => repair('x' as never, { dialect: anthropic })).toThrow(TypeError);
    expect(() => repair(stored, { dialect: anthropic, outcomeOf: 7 as never })).toThrow('outcomeOf');
  });
});
