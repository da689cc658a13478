import { expect, it } from 'vitest';

import { limitStops } from '../../../src/core/foundation/limit-stops.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';

const input = '{"path":"a';

it.each([...limitStops])('a limit of whichever provider ends a call: %s', (stop_reason) => {
  const content = [{ type: 'tool_use', id: 'a', name: 'read', input }];
  expect(anthropic.calls({ role: 'assistant', stop_reason, content })).toEqual([]);
});

it.each(['length', 'content_filter'])(
  'a limit of Chat Completions ends a call without arguments: %s',
  (finish_reason) => {
    const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    expect(openaiChat.calls({ choices: [{ finish_reason, message }] })).toEqual([]);
    expect(openaiChat.calls({ choices: [{ finish_reason: 'tool_calls', message }] })).toHaveLength(1);
  },
);
