import { expect, it } from 'vitest';

import { cancelKinds, isKind as isKindOfCore, standardKind } from '../../../src/core/foundation/cancel-kind.ts';
import { CancelledError } from '../../../src/core/foundation/errors.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';
import { causeOf, causes, isKind, reasonKind } from '../../../src/transcript/words/causes.ts';

it('has words for every kind of the core, in its order', () => {
  expect(Object.keys(causes)).toEqual([...cancelKinds]);
});

it.each([
  ...cancelKinds,
  'app:loop',
  ':',
  'app:',
  ':loop',
  'a:b:c',
  '',
  'nobody',
  '__proto__',
  'toString',
  7,
  undefined,
])('takes %s for a kind where the core does', (kind) => {
  expect(isKind(kind)).toBe(isKindOfCore(kind));
  if (typeof kind === 'string') expect(causeOf(kind)).toBe(standardKind(kind as never));
});

const reason = createReason({ kind: 'shutdown', at: 1 });

it.each([
  [undefined, undefined],
  [null, undefined],
  ['user', 'user'],
  ['app:loop', 'app:loop'],
  [reason, 'shutdown'],
  [{ kind: 'idle' }, 'idle'],
  [new CancelledError(reason), 'shutdown'],
  [new DOMException('x', 'AbortError'), 'unknown'],
  [new DOMException('x', 'TimeoutError'), 'deadline'],
  [AbortSignal.abort().reason, 'unknown'],
  [AbortSignal.abort(new CancelledError(reason)).reason, 'shutdown'],
])('reads %s as %s', (value, kind) => {
  expect(reasonKind('reason', value)).toBe(kind);
});

it.each([7, '', 'stop', {}, { kind: 'stop' }, [], true])('refuses %j', (value) => {
  expect(() => reasonKind('options.reason', value)).toThrow(
    /^options\.reason must be a reason, a kind or an error, got /,
  );
});
