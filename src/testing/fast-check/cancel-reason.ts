/**
 * Reasons of every shape that a cancel can have.
 *
 * @module
 */
import { constantFrom, integer, jsonValue, oneof, option, record, string, tuple, type Arbitrary } from 'fast-check';

import type { JsonValue, StandardCancelKind } from '../../core/inside.ts';
import { createReason, type CancelKind, type CancelReason } from '../../index.ts';

/**
 * Constraints of {@link cancelReason}.
 *
 * @since 0.1.0
 */
export interface CancelReasonConstraints {
  /** The only kinds to choose from; a failure shrinks towards the first. By default every kind, and some of an application's own. */
  readonly kinds?: readonly CancelKind[] | undefined;
}

/** A table, so that the compiler names a kind that is missing here; `user` first, because values shrink towards it. */
const standard = {
  user: 0,
  interjection: 0,
  superseded: 0,
  deadline: 0,
  idle: 0,
  budget: 0,
  sibling: 0,
  disconnect: 0,
  shutdown: 0,
  'lease-lost': 0,
  ended: 0,
  unknown: 0,
} satisfies Record<StandardCancelKind, 0>;

/** The last millisecond of the year 2099. */
const MAX_INSTANT = 4_102_444_799_999;

/** A reason's detail may take 2 kB as JSON; one that is read in the output of a failure is shorter. */
const MAX_DETAIL_LENGTH = 300;

function anyKind(): Arbitrary<CancelKind> {
  const part = string({ minLength: 1, maxLength: 8 });
  const own = tuple(part, part)
    // A namespace ends at the first colon.
    .filter(([namespace]) => !namespace.includes(':'))
    .map(([namespace, name]): CancelKind => `${namespace}:${name}`);
  const given = Object.keys(standard) as StandardCancelKind[];
  // Without crossing over, a failure with a kind of an application's own could not shrink to `user`.
  return oneof(
    { withCrossShrink: true },
    { weight: 5, arbitrary: constantFrom<CancelKind[]>(...given) },
    { weight: 1, arbitrary: own },
  );
}

/**
 * Any reason: every kind, with and without a message, a name, a source, a detail and a cause.
 *
 * @param constraints Which kinds.
 * @returns An arbitrary of finished, frozen reasons.
 * @throws TypeError – `kinds` is empty, or names a kind that does not exist.
 * @example
 * ```ts
 * import fc from 'fast-check'
 * import { CancellationToken } from 'desist'
 * import { cancelReason } from 'desist/testing/fast-check'
 *
 * const kept = fc.property(cancelReason(), (reason) => CancellationToken.alreadyCancelled(reason).reason === reason)
 * fc.check(kept).failed // => false
 * ```
 * @since 0.1.0
 */
export function cancelReason({ kinds }: CancelReasonConstraints = {}): Arbitrary<CancelReason> {
  if (kinds?.length === 0) throw new TypeError('kinds must name at least one kind');
  // A kind that does not exist is refused here rather than in the first run of a property.
  for (const kind of kinds ?? []) createReason({ kind });
  const text = option(string({ maxLength: 20 }), { nil: undefined });
  const detail = jsonValue({ maxDepth: 2, stringUnit: 'grapheme-ascii' })
    .filter((value) => JSON.stringify(value).length <= MAX_DETAIL_LENGTH)
    .map((value) => value as JsonValue);
  return record({
    kind: kinds === undefined ? anyKind() : constantFrom(...kinds),
    message: text,
    by: text,
    source: text,
    at: integer({ min: 0, max: MAX_INSTANT }),
    detail: option(detail, { nil: undefined, freq: 3 }),
    cause: option(
      string({ maxLength: 10 }).map((message) => new Error(message)),
      { nil: undefined, freq: 3 },
    ),
  }).map((init) => createReason(init));
}
