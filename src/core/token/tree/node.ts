/**
 * One place in the forest of tokens, as fields, and the invariants of what may happen to them.
 *
 * Invariants, cited there and in the tests:
 *
 * - **I1** A node goes live → cancelled → killed, each at most once, and never back.
 * - **I2** First reason wins, and is the same object for every descendant it reached; a child cancelled earlier keeps
 *   its own; `cancel()` looks upwards first; of several parents the earliest cancel counts.
 * - **I3** Mark, then notify: when the first callback of a cancel runs, every reachable descendant reads cancelled.
 * - **I4** Cancelling a child never touches parent or siblings. Completing or releasing a child cancels nothing.
 * - **I5** Work under a shield does not see its parent's cancel; it does see kill, and its own limit.
 * - **I6** Nothing above holds a killed node, nor a released one below which nobody listens. Unlinking is O(1); links are
 *   strong. Release is transparent: the token's own answers never change again and it holds no listener but those of work
 *   that goes on, and its node goes on as a relay, so that what is below answers as if it had not been released, its own
 *   limit excepted.
 * - **I7** Every callback runs: a token's own in registration order, then its children's in link order; one that
 *   throws stops nobody.
 * - **I8** Propagation is iterative: a chain or a fan of a million nodes does not overflow the stack.
 * - **I9** A callback registered after the cancel runs at once and its handle is inert; one unregistered during
 *   dispatch does not run; `cancel()` inside a callback does nothing, except upgrade to kill.
 *
 * State is pulled and callbacks are pushed. A process-wide epoch rises with each cancel that could concern somebody
 * else; a live node remembers the epoch at which it was last known alive. Checking is one compare, and only after a
 * cancel somewhere does the next check walk up once and stamp its path. So a million idle children cost nothing to
 * cancel, a forgotten child is reachable from nowhere, and I3 holds without a message being sent.
 *
 * Prior art: tokio-util's `tree_node.rs` for the numbered invariants; Salsa's revision stamps for the epoch.
 *
 * @module
 */
import type { Clock } from '../../foundation/clock.ts';
import type { CancelledError } from '../../foundation/errors.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import { shared } from '../../foundation/brand.ts';
import { createReason } from '../../foundation/reason.ts';
import type { Alarm } from '../time/alarm-heap.ts';
import { LAYOUT } from './layout.ts';

/** Bits of `Node.flags`. */
export const KILLED = 1;
/** Released: what the token says will never change again. The node goes on as a relay for what is below it. */
export const FROZEN = 2;
/** Deaf to its parent's cancel, not to its kill. */
export const SHIELD = 4;
/** Several parents, in `extra.rare.parents`. */
export const MANY = 8;
/** With MANY: cancelled when every parent is, rather than any. */
export const ALL = 16;
/** Stands for an `AbortSignal` that somebody else made. */
export const FOREIGN = 32;
/** Something above is FOREIGN: the check reads those signals too. */
export const HINTED = 64;
/** Something above set a clock or an error handler; the environment is shared by reference. */
export const ENV = 128;
/** Had a child at some time, so a cancel must raise the epoch. */
export const PARENT = 256;
/** Cancelled by itself, not through a parent. */
export const OWN = 512;
/** A cancel of this node captures a stack. */
export const STACK = 1024;
/** Never changes: `CancellationToken.none`. */
export const NEVER = 2048;
/** Nobody holds a source of it: it follows its parents, its signal or its limit. */
export const PASSIVE = 4096;
/** Something here or above has several parents. */
export const BELOW_MANY = 8192;
/** FROZEN: cancelled, and killed, when it was released. */
export const WAS_CANCELLED = 16384;
export const WAS_KILLED = 32768;
/** What it is it stays, whoever asks for what. */
export const FIXED: number = FROZEN | NEVER;
/** What a child takes over. */
export const INHERITED: number = HINTED | ENV | BELOW_MANY;

interface Epoch {
  /** Above 0; rises when a token that ever had a child is cancelled or killed. */
  value: number;
  /** Counts all cancels and kills of the process: says which of two came first. */
  cancels: number;
  /** Counts all kills of the process; while there is none, nobody has to look for one. */
  kills: number;
}

/** Shared by all copies of the package in the process, because their tokens can be linked to each other. */
export const EPOCH: Epoch = /* @__PURE__ */ shared<Epoch>(
  'epoch',
  LAYOUT,
  () => ({ value: 1, cancels: 0, kills: 0 }),
  ({ value, cancels, kills }) => [value, cancels, kills].every(Number.isSafeInteger),
);

/** What one cancel is, shared by every node it reaches: the reason and the one error, made when first needed. */
export class Cancellation {
  // One instance of each class is kept for good, or V8 forgets what it has learnt of the shape; of this one with an
  // instant that is no whole number. In the class, so that a bundler drops it with the class.
  static readonly pinned: Cancellation = /* @__PURE__ */ new Cancellation(/* @__PURE__ */ createReason({ at: 0.5 }));
  readonly reason: CancelReason;
  error: CancelledError | undefined;
  /** How many of the nodes it reached were killed since. */
  kills = 0;
  /** At which count of kills in the process a climb from one of them to the top found none. */
  unkilledAt = -1;

  constructor(reason: CancelReason, error?: CancelledError) {
    this.reason = reason;
    this.error = error;
  }
}

/** Settings that descendants share by reference. */
export interface Environment {
  readonly clock: Clock | undefined;
  readonly onCallbackError: ((error: unknown) => void) | undefined;
}

/** A registered callback; `listeners.ts` makes it. */
export interface Slot {
  readonly node: Node | undefined;
  readonly fn: ((reason: CancelReason, context: never, node: Node) => unknown) | undefined;
  readonly context: unknown;
  index: number;
  /** It has run, or never will. */
  finish(how: number): void;
  unregister(): boolean;
}

/** What waits with the end of its own grace while something below it is inside one. */
export interface GraceHolder {
  hold(): void;
  letGo(): void;
  /** It was killed; returns how many milliseconds are left to it, none by default. */
  killed?(): number;
}

/** One child by itself, or several in link order. */
export type Kids = Node | Set<Node>;

/** What an idle node does not need; made when somebody listens, names the node or limits it. */
export class Extra {
  static readonly pinned: Extra = /* @__PURE__ */ new Extra();
  /** How many reasons there are to be linked upwards: live listeners and linked children. */
  declare watch: number;
  /** The first listener, inline: most tokens have one. */
  declare first: Slot | undefined;
  /** The linked children. */
  declare kids: Kids | undefined;
  declare deadline: Alarm | undefined;
  declare name: string | undefined;
  declare env: Environment | undefined;
  /** What this token was made for; whoever sets it clears it when that has ended. */
  declare owner: object | undefined;
  /** The work whose token this is, while it runs. */
  declare holder: GraceHolder | undefined;
  /** The native signal, once somebody asked for it. */
  declare controller: AbortController | undefined;
  declare rare: Rare | undefined;

  // Declared, not defined: see `Source`.
  constructor() {
    this.watch = 0;
    this.first = undefined;
    this.kids = undefined;
    this.deadline = undefined;
    this.name = undefined;
    this.env = undefined;
    this.owner = undefined;
    this.holder = undefined;
    this.controller = undefined;
    this.rare = undefined;
  }
}

/** One kill: its place in the order of cancels, and its reason. */
export interface Kill {
  readonly number: number;
  readonly reason: CancelReason;
}

/** What few nodes ever have. */
export class Rare {
  static readonly pinned: Rare = /* @__PURE__ */ new Rare();
  /** Listeners beyond the first in registration order, with holes; dropped when all are holes. */
  slots: (Slot | undefined)[] | undefined;
  /** How many of `slots` are holes. */
  holes = 0;
  /** KILLED: by what. */
  kill: Kill | undefined;
  /** Listeners of the second rung. */
  kills: Set<Slot> | undefined;
  /** Arms `kill()` after a cancel with a grace. */
  grace: Alarm | undefined;
  cancelled: Promise<CancelReason> | undefined;
  /** MANY: the parents, each once. */
  parents: readonly Node[] = [];
  /** ALL: every parent before this one is cancelled, and every parent before that one is killed. */
  firstLive = 0;
  firstUnkilled = 0;
  /** HINTED: the FOREIGN nodes above, and the epoch at which this node was last known alive. */
  hints: readonly Node[] = [];
  seen = 0;
  /** FOREIGN: the signal it stands for, and our one listener on it. */
  signal: AbortSignal | undefined;
  onAbort: (() => void) | undefined;
}

/** One place in the forest of tokens: a token itself, to which its fields are private. */
export interface Node {
  /** Above 0: the epoch at which it was known alive. 0: look it up. Below 0: cancelled, minus that cancel's number. */
  stamp: number;
  flags: number;
  parent: Node | undefined;
  cancellation: Cancellation | undefined;
  extra: Extra | undefined;
}

/** The extra part of a node, made on demand. */
export function extraOf(node: Node): Extra {
  return (node.extra ??= new Extra());
}

/** The rare part of a node, made on demand. */
export function rareOf(node: Node): Rare {
  return (extraOf(node).rare ??= new Rare());
}

/** The parents of a node, one or many. */
export function parentsOf(node: Node): readonly Node[] {
  if ((node.flags & MANY) !== 0) return node.extra?.rare?.parents ?? [];
  return node.parent === undefined ? [] : [node.parent];
}
