import { expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import { withDecision } from '../../../../src/transcript/dialects/ai-sdk/decision.ts';

const reason = createReason({ kind: 'user', at: 1 });
const known = { name: 'read', row: undefined, cutBy: undefined };
const row = { id: 'a', name: 'read', call: undefined, ms: 0, status: 'completed' as const, value: 1 };

it('a record of the ledger says more than any decision', () => {
  const recorded = { ...known, row };
  expect(withDecision(recorded, { approved: false }, reason)).toBe(recorded);
});

it('without a question, and with a yes, nothing more is known', () => {
  expect(withDecision(known, undefined, reason)).toBe(known);
  expect(withDecision(known, { approved: true }, reason)).toBe(known);
});

it('a call that nobody decided did not run, for the turn’s reason', () => {
  expect(withDecision(known, {}, reason).cutBy).toBe(reason);
  expect(withDecision(known, {}, undefined).cutBy).toEqual({ kind: 'unknown' });
  expect(withDecision({ ...known, cutBy: { kind: 'deadline' } }, {}, reason).cutBy).toEqual({ kind: 'deadline' });
});

it('a refusal is one, in the person’s words', () => {
  expect(withDecision(known, { approved: false }, reason).row).toMatchObject({ status: 'declined' });
  expect(withDecision(known, { approved: false }, reason).row).not.toHaveProperty('userMessage');
  expect(withDecision(known, { approved: false, reason: 'no' }, reason).row).toMatchObject({ userMessage: 'no' });
});
