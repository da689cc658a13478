import { expect, it } from 'vitest';

import { anthropicHosted } from '../../../../src/transcript/dialects/anthropic/hosted.ts';
import { lostNote } from '../../../../src/core/foundation/results/lost-note.ts';

const begun = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'I look.' },
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
  ],
} as never;
const ended = {
  role: 'assistant',
  content: [{ type: 'web_search_tool_result', tool_use_id: 's', content: [] }],
} as never;

it('a call of the provider stays where it has its result', () => {
  expect(anthropicHosted.settle([begun, ended], true)).toEqual([begun, ended]);
});

it('a call of the provider without a result is taken out and told', () => {
  expect(anthropicHosted.read([begun], true).notes).toEqual([lostNote(['web_search'])]);
  expect(anthropicHosted.settle([begun], true)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] },
    { role: 'user', content: lostNote(['web_search']) },
  ]);
});
