import { describe, expect, it } from 'vitest';

import { givenUp } from '../../../../src/core/token/bridge/given-up.ts';
import { CancellationTokenSource } from '../../../../src/index.ts';

describe('a request that its client gave up', () => {
  it.each([
    new Error('Request was aborted'),
    Object.assign(new Error('Error calling tool pay: McpError: MCP error -32001: Request cancelled'), {
      name: 'ToolException',
    }),
  ])('a request that its client gave up because of a stop is over, and its work unknown: %s', (error) => {
    const stop = new CancellationTokenSource();
    stop.cancel('user');
    expect(givenUp(stop.token, 'pay', error)).toMatchObject({
      name: 'AbortError',
      reason: { kind: 'user' },
      abandoned: { name: 'pay', isOver: true },
    });
  });

  it.each([true, false])(
    'a request that its client gave up for a reason of its own failed with that; stopped: %o',
    (isStopped) => {
      const stop = new CancellationTokenSource();
      if (isStopped) stop.cancel('user');
      const failure = new RangeError('no such account');
      expect(givenUp(stop.token, 'pay', failure)).toBe(failure);
    },
  );
});
