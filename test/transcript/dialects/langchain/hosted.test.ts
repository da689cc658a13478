import { expect, it } from 'vitest';

import { langChainHosted } from '../../../../src/transcript/dialects/langchain/hosted.ts';
import { lostNote } from '../../../../src/core/foundation/results/lost-note.ts';

const begun = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'I look.' },
    { type: 'server_tool_call', id: 's', name: 'web_search', args: {} },
  ],
} as never;
const ended = {
  role: 'assistant',
  content: [{ type: 'server_tool_call_result', toolCallId: 's', output: {} }],
} as never;

it('a call of the provider stays where it has its result', () => {
  expect(langChainHosted.settle([begun, ended], true)).toEqual([begun, ended]);
});

it('a call of the provider without a result is taken out and told', () => {
  expect(langChainHosted.read([begun], true).notes).toEqual([lostNote(['web_search'])]);
  expect(langChainHosted.settle([begun], true)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] },
    { role: 'user', content: lostNote(['web_search']) },
  ]);
});
