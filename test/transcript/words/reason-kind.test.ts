import { expect, it } from 'vitest';

import { CancelledError } from '../../../src/core/foundation/errors.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';
import { reasonKind } from '../../../src/transcript/words/reason-kind.ts';

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
