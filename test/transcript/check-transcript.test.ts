import { describe, expect, it } from 'vitest';

import { checkTranscript } from '../../src/transcript/check-transcript.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';

describe('checkTranscript', () => {
  it('says where, which rule, and what', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } };
    expect(
      checkTranscript([{ role: 'user', content: 'x' }, { role: 'assistant', tool_calls: [call] } as never], {
        dialect: openaiChat,
      }),
    ).toEqual([{ at: 1, rule: 'call-answered', what: 'call_1 has no tool message after it' }]);
  });

  it('finds nothing in an empty transcript', () => {
    expect(checkTranscript([], { dialect: anthropic })).toEqual([]);
  });

  it('refuses a dialect that does not exist, and what is no transcript', () => {
    expect(() => checkTranscript([], { dialect: 'esperanto' as never })).toThrow(
      /^options\.dialect must be a dialect.*got "esperanto"; dialectNamed\(\)/,
    );
    expect(() => checkTranscript('x' as never, { dialect: anthropic })).toThrow(TypeError);
  });
});
