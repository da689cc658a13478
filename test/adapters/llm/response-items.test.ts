import { expect, it } from 'vitest';

import { isCall, isOurs, isTheirs } from '../../../src/adapters/llm/response-items.ts';

it.each([
  [{ type: 'function_call' }, 'ours'],
  [{ type: 'shell_call' }, 'ours'],
  [{ type: 'shell_call', environment: { type: 'container_reference' } }, 'theirs'],
  [{ type: 'tool_search_call', execution: 'client' }, 'ours'],
  [{ type: 'tool_search_call', execution: 'server' }, 'theirs'],
  [{ type: 'web_search_call' }, 'theirs'],
  [{ type: 'message' }, 'nobody’s'],
  [{ type: 'function_call_output' }, 'nobody’s'],
  [{}, 'nobody’s'],
])('a call of a response, %j, is %s to run', (item, whose) => {
  expect([isOurs(item), isTheirs(item)]).toEqual([whose === 'ours', whose === 'theirs']);
  expect(isCall((item as { type?: unknown }).type) || whose !== 'ours').toBe(true);
});
