import { expect, it } from 'vitest';

import { joinReplies } from '../../../../src/transcript/dialects/gemini/join-replies.ts';

const user = { role: 'user', parts: [{ text: 'Go.' }] };
const said = { role: 'model', parts: [{ text: 'one' }] };
const call = { role: 'model', parts: [{ functionCall: { name: 'pay', args: {} } }] };

it('a turn with calls takes in what the model said before it, and nothing else changes', () => {
  const given = [user, said, said, user, call];
  expect(joinReplies(given)).toEqual(given);
  expect(joinReplies([user, said, said, call])).toEqual([
    user,
    { role: 'model', parts: [{ text: 'one' }, { text: 'one' }, { text: '\n' }, ...call.parts] },
  ]);
});
