/**
 * Random scripts for a forest of tokens, how they are played, and how a forest differs from the model.
 *
 * @module
 */
import {
  array,
  constant,
  constantFrom,
  nat,
  oneof,
  option,
  record,
  type Arbitrary,
  type WeightedArbitrary,
} from 'fast-check';

import { requireChoices } from '../../../src/testing/fast-check/choices.ts';
import type { TokenForest, TokenKind, TokenRung } from './token-forest.ts';
import { TokenModel } from './token-model.ts';

/**
 * What can be done to a token, also from inside a callback. Numbers are taken modulo what there is.
 */
export type TokenAct =
  | { readonly act: 'cancel'; readonly node: number; readonly graceMs: number | undefined }
  | { readonly act: 'kill' | 'release' | 'abort'; readonly node: number }
  | { readonly act: 'limit'; readonly node: number; readonly ms: number }
  | { readonly act: 'on'; readonly node: number; readonly rung: TokenRung; readonly script: readonly TokenAct[] }
  | { readonly act: 'off'; readonly handle: number }
  | { readonly act: 'throw' };

/**
 * One step of a script.
 */
export type TokenStep =
  | TokenAct
  | { readonly act: 'make'; readonly kind: TokenKind; readonly parents: readonly number[] }
  | { readonly act: 'advance'; readonly ms: number };

/**
 * Constraints of {@link tokenScript}.
 */
export interface TokenScriptConstraints {
  /** The only kinds of tokens to make; every kind by default. */
  readonly kinds?: readonly TokenKind[] | undefined;
  /** The only things to do to them, beside making them; everything by default. */
  readonly acts?: readonly Exclude<TokenStep['act'], 'make'>[] | undefined;
  /** How many steps at most; 40 by default. */
  readonly maxLength?: number | undefined;
}

const index = nat({ max: 11 });
const rung = constantFrom<TokenRung[]>('cancel', 'cancel', 'kill');

/** How often each thing is done, and with what. */
function weighted(script: Arbitrary<readonly TokenAct[]>): readonly WeightedArbitrary<TokenStep>[] {
  const graceMs = option(nat({ max: 4 }), { nil: undefined, freq: 3 });
  return [
    { weight: 4, arbitrary: record({ act: constant('cancel'), node: index, graceMs }) },
    { weight: 2, arbitrary: record({ act: constant('kill'), node: index }) },
    { weight: 2, arbitrary: record({ act: constant('release'), node: index }) },
    { weight: 2, arbitrary: record({ act: constant('abort'), node: index }) },
    { weight: 2, arbitrary: record({ act: constant('limit'), node: index, ms: nat({ max: 5 }) }) },
    { weight: 8, arbitrary: record({ act: constant('on'), node: index, rung, script }) },
    { weight: 3, arbitrary: record({ act: constant('off'), handle: index }) },
    { weight: 1, arbitrary: constant({ act: 'throw' }) },
    { weight: 2, arbitrary: record({ act: constant('advance'), ms: nat({ max: 5 }) }) },
  ];
}

const names = ['cancel', 'kill', 'release', 'abort', 'limit', 'on', 'off', 'throw', 'advance'] as const;

function chosen(
  script: Arbitrary<readonly TokenAct[]>,
  isWanted: (name: (typeof names)[number]) => boolean,
): readonly WeightedArbitrary<TokenStep>[] {
  return weighted(script).filter((_, place) => isWanted(names[place] ?? 'throw'));
}

/**
 * Scripts for a forest of tokens: tokens of every kind are made, cancelled, killed, released, limited, listened to, and all
 * that also from inside callbacks, which may throw.
 *
 * @param constraints Which kinds, which acts, how many steps.
 * @returns An arbitrary of scripts; a failure shrinks to few steps.
 * @throws TypeError – a kind or an act does not exist, or there is none to choose from.
 */
export function tokenScript({ kinds, acts, maxLength = 40 }: TokenScriptConstraints = {}): Arbitrary<
  readonly TokenStep[]
> {
  const all: readonly TokenKind[] = ['child', 'child', 'child', 'shield', 'join', 'any', 'all', 'foreign'];
  requireChoices('kinds', kinds, all);
  requireChoices('acts', acts, names);
  const isWanted = (name: (typeof names)[number]): boolean => acts?.includes(name) ?? true;
  const inCallback = chosen(constant([]), (name) => name !== 'advance' && isWanted(name));
  const act = (
    inCallback.length === 0 ? constant({ act: 'off', handle: 0 }) : oneof(...inCallback)
  ) as Arbitrary<TokenAct>;
  const outside = chosen(array(act, { maxLength: 3 }), (name) => name !== 'throw' && isWanted(name));
  const kind = constantFrom(...(kinds ?? all));
  const make = record({ act: constant('make' as const), kind, parents: array(index, { minLength: 1, maxLength: 3 }) });
  return array(oneof<WeightedArbitrary<TokenStep>[]>(...outside, { weight: 12, arbitrary: make }), {
    maxLength,
    size: 'max',
  });
}

/**
 * How a script is played.
 */
export interface PlayTokensOptions {
  /** Whether every token is read after each step and in each callback; a lazy forest may behave differently unread. */
  readonly look?: boolean | undefined;
  /** Where what can be noticed is written; a new list by default. */
  readonly log?: string[] | undefined;
}

/**
 * Does all steps of a script to a forest, and writes down everything that can be noticed: answers, callbacks in their order,
 * states.
 *
 * @param forest What is played with; it should hold no tokens yet.
 * @param script The steps.
 * @param options Whether to look meanwhile.
 * @returns The log.
 */
export function playTokens(
  forest: TokenForest,
  script: readonly TokenStep[],
  { look = true, log = [] }: PlayTokensOptions = {},
): readonly string[] {
  const handles: (() => boolean)[] = [];
  let ids = 0;
  const each = (read: (node: number) => unknown): string =>
    Array.from({ length: forest.size }, (_, node) => String(read(node))).join(' ');
  const state = (): string => each((node) => forest.read(node));

  function make(kind: TokenKind, given: readonly number[]): void {
    const parents = [...new Set(given.map((parent) => parent % forest.size))];
    if (kind === 'foreign' || forest.size === 0) forest.make(kind === 'foreign' ? 'foreign' : 'child', []);
    else if (kind === 'child' || kind === 'shield') forest.make(kind, parents.slice(0, 1));
    else if (parents.length > 1) forest.make(kind, parents);
  }

  function perform(step: TokenStep): void {
    if (step.act === 'throw') throw new Error('from a callback');
    if (step.act === 'advance') {
      forest.advance(step.ms);
      return;
    }
    if (step.act === 'make') {
      make(step.kind, step.parents);
      return;
    }
    if (step.act === 'off') {
      if (handles.length > 0) log.push(`off ${String(handles[step.handle % handles.length]?.())}`);
      return;
    }
    if (forest.size === 0) return;
    const node = step.node % forest.size;
    const id = `c${String(ids++)}`;
    if (step.act === 'on') {
      const name = `${step.rung} ${id} on ${String(node)}`;
      const run = (): void => {
        // While a callback runs, everybody reads what they will read in the end.
        log.push(look ? `${name}: ${state()}` : name);
        for (const act of step.script) perform(act);
      };
      handles.push(forest.on(node, step.rung, run));
    } else if (step.act === 'cancel') log.push(`cancel ${String(forest.cancel(node, id, step.graceMs))}`);
    else if (step.act === 'kill') log.push(`kill ${String(forest.kill(node, id))}`);
    else if (step.act === 'limit') forest.limit(node, step.ms, id);
    else forest[step.act](node, id);
  }

  for (const step of script) {
    log.push(step.act);
    perform(step);
    if (look) log.push(state());
    const { watched } = forest;
    if (watched !== undefined) log.push(`watched ${each((node) => watched.call(forest, node))}`);
  }
  log.push(state());
  return log;
}

/**
 * Plays a script with a forest and with the naive model, and says where they part.
 *
 * @param script The steps.
 * @param open Makes the forest; it calls `onError` for each callback that throws.
 * @param options Whether to look meanwhile.
 * @returns `undefined` if nobody can tell them apart; else the two logs from where they differ.
 */
export function differenceFromModel(
  script: readonly TokenStep[],
  open: (onError: () => void) => TokenForest,
  { look = true }: PlayTokensOptions = {},
): string | undefined {
  const [theirs, ours]: string[][] = [[], []];
  const forest = open(() => theirs?.push('error'));
  playTokens(forest, script, { look, log: theirs });
  let decided = Infinity;
  const model = new TokenModel({
    onError: () => ours?.push('error'),
    onUndecided: () => {
      decided = Math.min(decided, ours?.length ?? 0);
    },
  });
  if (forest.watched === undefined) Object.defineProperty(model, 'watched', { value: undefined });
  playTokens(model, script, { look, log: ours });
  const [given, wanted] = [theirs ?? [], ours ?? []].map((log) => log.slice(0, decided)) as [string[], string[]];
  const at = given.findIndex((line, place) => line !== wanted[place]);
  if (at === -1 && given.length === wanted.length) return undefined;
  const place = at === -1 ? Math.min(given.length, wanted.length) : at;
  return `after ${String(place)} lines the model says:\n${wanted.slice(place).join('\n')}\nand the forest:\n${given.slice(place).join('\n')}`;
}
