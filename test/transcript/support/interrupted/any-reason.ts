/**
 * Reasons of every shape that a stop can have.
 *
 * @module
 */
import { constantFrom, integer, jsonValue, option, record, string, type Arbitrary } from 'fast-check';

import { cancelKinds, type CancelKind } from '../../../../src/core/foundation/cancel-kind.ts';
import { createReason, type CancelReason, type JsonValue } from '../../../../src/core/foundation/reason.ts';

/** A detail may take 2 kB as JSON; one that is read in the output of a failure is shorter. */
const MAX_DETAIL_LENGTH = 300;

/** Any reason: every kind, with and without a message, a name, a source, a detail and a cause. */
export function anyReason(): Arbitrary<CancelReason> {
  const text = option(string({ maxLength: 20 }), { nil: undefined });
  const detail = jsonValue({ maxDepth: 2, stringUnit: 'grapheme-ascii' })
    .filter((value) => JSON.stringify(value).length <= MAX_DETAIL_LENGTH)
    .map((value) => value as JsonValue);
  return record({
    kind: constantFrom<CancelKind[]>(...cancelKinds, 'app:loop'),
    message: text,
    by: text,
    source: text,
    at: integer({ min: 0, max: Date.UTC(2099, 11, 31) }),
    detail: option(detail, { nil: undefined, freq: 3 }),
    cause: option(
      string({ maxLength: 10 }).map((message) => new Error(message)),
      { nil: undefined, freq: 3 },
    ),
  }).map((init) => createReason(init));
}
