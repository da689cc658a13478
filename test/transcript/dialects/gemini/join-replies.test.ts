import { expect, it } from 'vitest';

import { joins } from '../../../../src/transcript/dialects/gemini/content.ts';
import { addAll } from '../../../../src/transcript/reading/join-messages.ts';

const user = { role: 'user', parts: [{ text: 'Go.' }] };
const said = { role: 'model', parts: [{ text: 'one' }] };
const call = { role: 'model', parts: [{ functionCall: { name: 'pay', args: {} } }] };

it('a turn with calls takes in what the model said before it, and nothing else changes', () => {
  const given = [user, said, said, user, call];
  expect(addAll({ joins }, [], given)).toEqual(given);
  expect(addAll({ joins }, [], [user, said, said, call])).toEqual([
    user,
    { role: 'model', parts: [{ text: 'one' }, { text: 'one' }, { text: '\n' }, ...call.parts] },
  ]);
});
