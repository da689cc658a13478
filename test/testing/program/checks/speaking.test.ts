import { expect, it } from 'vitest';

import { mcp, message, queued } from '../../../../src/testing/program/checks/speaking.ts';
import { fakeStage, requestOf } from '../support.ts';

const withProfile = (profile: object) => fakeStage({ setup: { profile: { command: ['a'], ...profile } } });

it('a message needs a program that can be spoken to while it works', async () => {
  await expect(message.play(withProfile({ through: 'acp' }), 1)).rejects.toThrow('the protocol has no message');
  await expect(queued.play(withProfile({ command: ['a', '{prompt}'] }), 1)).rejects.toThrow(
    'it takes one prompt, and ends',
  );
});

it('the tool of a deaf server is found under any prefix, or as the profile names it', () => {
  const request = requestOf([], [{ name: 'mcp__deaf__wait_for_ever' }, { name: 'search' }, { name: 'research' }]);
  expect(mcp.script(request, 1, withProfile({}))).toMatchObject({
    toolCalls: [{ name: 'mcp__deaf__wait_for_ever', input: {} }],
  });
  const named = withProfile({ mcp: { tool: 'search', input: { query: 'x' } } });
  expect(mcp.script(request, 1, named)).toMatchObject({ toolCalls: [{ name: 'search', input: { query: 'x' } }] });
  expect(mcp.script(requestOf([]), 1, named)).toBe('Understood.');
});

it('without such a tool the check of a deaf server does not apply', async () => {
  const stage = fakeStage({
    setup: { profile: { command: ['a'] } },
    say: () => Promise.resolve(''),
    request: () => Promise.resolve(requestOf([])),
  });
  await expect(mcp.play(stage, 1)).rejects.toThrow('the program declares no tool of a deaf MCP server');
});
