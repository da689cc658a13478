/**
 * The kinds of a stop: the package's own, and those that an application names for itself.
 *
 * @module
 */

/**
 * The kinds that the package itself gives.
 *
 * @since 0.1.0
 */
export type StandardCancelKind =
  | 'user'
  | 'interjection'
  | 'superseded'
  | 'deadline'
  | 'idle'
  | 'budget'
  | 'sibling'
  | 'disconnect'
  | 'shutdown'
  | 'lease-lost'
  | 'ended'
  | 'unknown';

/**
 * Who or what wanted the stop.
 *
 * `user` a person · `interjection` a person's new message cut a generation · `superseded` newer work took its place ·
 * `deadline` a total limit · `idle` nothing moved for too long · `budget` a count ran out · `sibling` work beside it
 * failed · `disconnect` the client went away · `shutdown` the process ends · `lease-lost` this process no longer owns
 * the run · `ended` what it was part of is over · `unknown` nobody said · with a colon in it, a kind of the
 * application's own: `app:loop-detected`.
 *
 * @since 0.1.0
 */
export type CancelKind = StandardCancelKind | `${string}:${string}`;

/**
 * What a reason says whose maker gave no message. No prototype: a plain look-up says whether a word is a kind, and every
 * cancel comes through here.
 */
export const defaultMessages: Readonly<Record<StandardCancelKind, string> & Partial<Record<string, string>>> = {
  __proto__: null as never,
  user: 'User cancelled',
  interjection: 'A new message came first',
  superseded: 'Newer work took its place',
  deadline: 'The deadline passed',
  idle: 'Nothing moved for too long',
  budget: 'The budget is used up',
  sibling: 'Work beside it failed',
  disconnect: 'The client disconnected',
  shutdown: 'The process is shutting down',
  'lease-lost': 'Another process owns this run now',
  ended: 'What it was part of is over',
  unknown: 'Cancelled',
};

/** Every kind of the package's own, in the order in which {@link CancelKind} explains them. */
export const cancelKinds: readonly StandardCancelKind[] = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ Object.keys(defaultMessages) as StandardCancelKind[],
);

/**
 * The kind of the package's own that stands for a kind: an application's own says nothing that we have words for.
 */
export function standardKind(kind: CancelKind): StandardCancelKind {
  return isStandard(kind) ? kind : 'unknown';
}

/** Whether a word is a kind of the package's own. */
export function isStandard(kind: string): kind is StandardCancelKind {
  return defaultMessages[kind] !== undefined;
}

/** Whether a value can be the kind of a reason: ours, or `namespace:name`, neither of them empty. */
export function isKind(kind: unknown): kind is CancelKind {
  return typeof kind === 'string' && (isStandard(kind) || /^[^:]+:./s.test(kind));
}
