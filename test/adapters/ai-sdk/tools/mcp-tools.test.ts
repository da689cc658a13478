import { expect, it } from 'vitest';

import { withMcpTools } from '../../../../src/adapters/ai-sdk/tools/mcp-tools.ts';

it('only a tool that says which MCP client it is of becomes a request, whose signal says nothing', async () => {
  const stop = new AbortController();
  const said: unknown[] = [];
  const execute = (input: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
    abortSignal.addEventListener('abort', () => said.push([input, String(abortSignal.reason)]));
    stop.abort('a secret');
    return Promise.reject(new Error('Request was aborted'));
  };
  const plain = { execute };
  const tools = withMcpTools({
    plain,
    odd: { execute, metadata: 'no object' },
    none: { metadata: { clientName: 'c' } },
    theirs: { execute, metadata: { clientName: 'c', toolName: 't' } },
  });
  expect(tools['plain']).toBe(plain);
  const { theirs } = tools as { readonly theirs: typeof plain };
  const call = theirs.execute('input', { abortSignal: stop.signal });
  await expect(call).rejects.toMatchObject({ abandoned: { name: 'theirs', isOver: true } });
  expect(said).toEqual([['input', 'Request cancelled']]);
});
