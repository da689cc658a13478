import { expect, expectTypeOf, it } from 'vitest';

import type { HeldState, Submission } from '../../src/transcript/held-conversation.ts';

it('is a plain shape on both ways: what is held goes in, what to send comes out', () => {
  const held: HeldState = { responses: [{ id: 'resp_1', status: 'completed', output: [] }] };
  expectTypeOf<Submission<string>['input']>().toEqualTypeOf<string[]>();
  expect(held.responses).toHaveLength(1);
});
