import { expect, it } from 'vitest';

import { itemsHosted } from '../../../src/transcript/items/hosted.ts';
import { lostNote } from '../../../src/core/foundation/results/lost-note.ts';

const begun = { type: 'shell_call', call_id: 's', environment: { type: 'container_reference' } } as never;
const ended = { type: 'shell_call_output', call_id: 's' } as never;

it('a call of the provider stays where it has its result', () => {
  expect(itemsHosted.settle([begun, ended], true)).toEqual([begun, ended]);
});

it('a call of the provider without a result is taken out and told', () => {
  expect(itemsHosted.read([begun], true).notes).toEqual([lostNote(['shell'])]);
  expect(itemsHosted.settle([begun], true)).toEqual([{ type: 'message', role: 'user', content: lostNote(['shell']) }]);
});

it.each([
  ['searching', 'web_search_call', true],
  ['incomplete', 'mcp_call', true],
  ['completed', 'mcp_call', false],
  ['failed', 'code_interpreter_call', false],
  [undefined, 'mcp_call', false],
  ['in_progress', 'program', false],
])('with the status %s a %s is open: %s', (status, type, isOpen) => {
  expect(itemsHosted.read([{ type, ...(status !== undefined && { status }) }], false).notes.length > 0).toBe(isOpen);
});
