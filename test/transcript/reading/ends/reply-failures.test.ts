import { expect, it } from 'vitest';

import { responseEnd } from '../../../../src/transcript/reading/ends/carried-end.ts';
import { endedTwice, requireEnd } from '../../../../src/transcript/reading/ends/reply-failures.ts';

const rules = { ended: responseEnd };
const response = (status: string, more: object = {}): object => ({ status, output: [], ...more });

it('a reply that failed is an error in the words of the provider', () => {
  const error = { code: 'server_error', message: 'It fell over' };
  const refused = (): void => {
    requireEnd(rules, response('failed', { error }));
  };
  expect(refused).toThrow(new Error('the provider ended the reply: failed: server_error: It fell over'));
  expect(refused).toThrow(expect.objectContaining({ cause: error }));
});

it.each(['queued', 'in_progress'])('a reply that is %s has yet to come', (status) => {
  expect(() => {
    requireEnd(rules, response(status));
  }).toThrow(TypeError);
});

it.each<unknown>([
  response('completed'),
  response('incomplete'),
  { stopReason: 'error', isComplete: true },
  {},
  undefined,
])('a reply that ended in another way is no failure, but of one that says so: %j', (reply) => {
  const isFailed = (reply as { stopReason?: string } | undefined)?.stopReason === 'error';
  const look = expect(() => {
    requireEnd(rules, reply);
  });
  if (isFailed) look.toThrow(/^the provider ended the reply: error$/);
  else look.not.toThrow();
});

it('the second reply in a row that ended inside a call is refused for what ended it', () => {
  expect(endedTwice('limit')).toBeInstanceOf(RangeError);
  expect(endedTwice('limit').message).toContain('max_tokens');
  expect(endedTwice('refused').message).not.toContain('max_tokens');
  expect(endedTwice('refused').message).toContain('filter');
  expect(endedTwice('unfinished').message).toContain('without saying why');
});
