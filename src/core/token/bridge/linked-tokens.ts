/**
 * Tokens that follow others: any of several, all of several, or an `AbortSignal`.
 *
 * A link to a link is laid to what that one follows, as the dependent signals of `AbortSignal.any` are, so that
 * listeners hear in the same order.
 *
 * Prior art: WHATWG DOM "create a dependent abort signal"; .NET `CreateLinkedTokenSource`.
 *
 * @module
 */
import { wrongType } from '../../foundation/check.ts';
import { inheritEnvironment } from '../tree/environment.ts';
import {
  ALL,
  BELOW_MANY,
  FROZEN,
  HINTED,
  MANY,
  NEVER,
  PARENT,
  PASSIVE,
  parentsOf,
  rareOf,
  type Node,
} from '../tree/node.ts';
import { hint, isCancelled } from '../tree/state.ts';
import { adoptForeign, isAbortSignal, nodeOf } from './signal.ts';
import { isSource } from '../source.ts';
import { Token, childOf, isToken } from '../token.ts';

/** What is taken for a token: one of this package, of any copy, or a signal. */
type Like = AbortSignal | { readonly signal: AbortSignal; readonly isCancelled: boolean };

/** The token that nothing ever cancels. */
export const never: Token = /* @__PURE__ */ makeNever();

function makeNever(): Token {
  const token = new Token(undefined);
  token.flags |= NEVER;
  return token;
}

const foreign = /* @__PURE__ */ new WeakMap<AbortSignal, Token>();

/**
 * The token behind whatever a caller gave: a token, a signal, or nothing.
 *
 * @throws TypeError – anything else.
 */
export function tokenOf(like: Like | null | undefined): Token {
  if (isToken(like)) return like;
  if (like === undefined || like === null) return never;
  if (isAbortSignal(like)) return tokenOfSignal(like);
  // `Object.create(token)` has nothing of its own: what is written on it is not on the token.
  if (like instanceof Token) throw wrongType('a token', 'a CancellationToken itself', like);
  const signal: unknown = typeof like === 'object' ? (like as { signal?: unknown }).signal : undefined;
  // A token of another layout of this package, or anything shaped like one.
  if (isAbortSignal(signal) && typeof (like as { onCancelled?: unknown }).onCancelled === 'function') {
    return tokenOfSignal(signal);
  }
  if (isSource(like))
    throw new TypeError('a token must be a CancellationToken or an AbortSignal, got a source: pass source.token');
  throw wrongType('a token', 'a CancellationToken or an AbortSignal', like);
}

function tokenOfSignal(signal: AbortSignal): Token {
  const owner = nodeOf(signal);
  if (isToken(owner)) return owner;
  let token = foreign.get(signal);
  if (token === undefined) {
    token = new Token(undefined);
    token.flags |= PASSIVE;
    adoptForeign(token, signal);
    foreign.set(signal, token);
  }
  return token;
}

/** Gives a fresh node several parents; the caller has removed doubles. */
export function linkParents(node: Node, parents: readonly Node[]): void {
  const rare = rareOf(node);
  node.flags |= MANY | BELOW_MANY;
  rare.parents = parents;
  // Unknown until somebody looks: a parent may be cancelled already.
  node.stamp = 0;
  for (const parent of parents) parent.flags |= PARENT;
  inheritEnvironment(node, parents);
  if (parents.some((parent) => (parent.flags & HINTED) !== 0)) {
    const hints = parents.flatMap((parent) => parent.extra?.rare?.hints ?? []);
    hint(node, [...new Set(hints)]);
  }
}

/**
 * A token that follows others and can be cancelled by itself. Those that nothing can cancel do not count, nor does one
 * that is named twice: with one left it is a plain child, which is much cheaper than a link to several.
 */
export function tokenBelow(parents: readonly Token[]): Token {
  const distinct = new Set(parents);
  distinct.delete(never);
  const [first] = distinct;
  if (first === undefined) return new Token(undefined);
  if (distinct.size === 1) return childOf(first);
  const token = new Token(undefined);
  linkParents(token, [...distinct]);
  return token;
}

/** Whether a token only passes on what its parents say, so that a link to it can go straight to them. */
function isPlainAny(node: Node): boolean {
  return (node.flags & (MANY | ALL | PASSIVE | FROZEN)) === (MANY | PASSIVE);
}

/** Cancelled with the earliest of the others; never, if there are none that can be. */
export function any(likes: readonly (Like | null | undefined)[]): Token {
  const direct = likes.map(tokenOf).flatMap((token) => (isPlainAny(token) ? parentsOf(token).filter(isToken) : token));
  return linked(
    direct.filter((token) => (token.flags & NEVER) === 0),
    PASSIVE,
  );
}

/** Cancelled when all the others are, with the reason of the last. */
export function all(likes: readonly (Like | null | undefined)[]): Token {
  if (likes.length === 0) throw new TypeError('CancellationToken.all() needs at least one token, got none');
  const parents = likes.map(tokenOf);
  return parents.some((parent) => (parent.flags & NEVER) !== 0) ? never : linked(parents, PASSIVE | ALL);
}

/** A token below several others; a single one stands for itself. */
function linked(doubled: readonly Token[], flags: number): Token {
  const parents = [...new Set(doubled)];
  const [first = never] = parents;
  if (parents.length < 2) return first;
  const token = new Token(undefined);
  token.flags |= flags;
  linkParents(token, parents);
  isCancelled(token);
  return token;
}
