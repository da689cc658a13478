/**
 * What holds for every dialect, whatever its messages look like: the body of their properties, which bring only the
 * histories.
 *
 * @module
 */
import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { marksIn, runs, settleAndVerify, turnOf, type AnyDialect } from './arbitraries.ts';

/** The histories of one dialect. Everything that may be asked for later carries a mark: `text<1>`, `result<1>`. */
export interface Histories<M> {
  readonly dialect: AnyDialect<M>;
  /** What is read here, where the dialect has more than one kind of message. */
  readonly kind?: string;
  /** The ids that the calls of `wild` have. */
  readonly ids: readonly string[];
  /** Anything at all: every rule broken in every combination. */
  readonly wild: fc.Arbitrary<M[]>;
  /** What is left of a legal conversation that was cut, and the ids of its calls. */
  readonly cut: fc.Arbitrary<CutHistory<M>>;
  readonly partialValue: fc.Arbitrary<unknown>;
  /** The marks that are sent, in their order; by default every one that there is. */
  readonly marksOf?: (messages: readonly M[]) => string[];
  /** What of a history can come as a partial once more; by default every message. */
  readonly repliesIn?: (messages: readonly M[]) => readonly unknown[];
  /** Whether cut replies hold a call of this id; by default, if the id stands in them. */
  readonly isCutCall?: (partials: readonly unknown[], id: string) => boolean;
  /** The texts that go, by the rules; by default none. */
  readonly lost?: (messages: readonly M[]) => readonly string[];
}

export interface CutHistory<M> {
  readonly history: M[];
  readonly callIds: readonly string[];
  /** The calls at its end, which nobody has answered yet. */
  readonly open: readonly string[];
}

/** Without its optional keys where they are undefined, as JSON would have it. */
export function tidy<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}

/** Marked texts in several forms; each mark is given once. Numbered, not drawn: the properties ask for its place, not for its value. */
export function markedText(...forms: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...forms).map((form) => (form.trim() === '' ? form : `${nextMark('text')}${form}`));
}

let marks = 0;

/** A mark that nothing else has. */
export function nextMark(kind: 'text' | 'result'): string {
  marks += 1;
  return `${kind}<${String(marks)}>`;
}

/** A reply of the transcript, as far as a partial has it. */
class Own {
  readonly message: unknown;
  readonly form: 'as it is' | 'carried' | 'shorter';

  constructor(message: unknown, form: Own['form']) {
    this.message = message;
    this.form = form;
  }

  get value(): unknown {
    const { message, form } = this;
    if (form === 'shorter') return shorter(message);
    return form === 'carried' ? { message, isComplete: false } : message;
  }
}

/**
 * A turn's leavings, among them replies that the transcript has already, whole or as far as they came. One call of a model
 * leaves one partial: two of one reply, the one the beginning of the other, would be two replies that share their ids.
 */
export function turnAfter(replies: readonly unknown[], ids: readonly string[], partialValue: fc.Arbitrary<unknown>) {
  if (replies.length === 0) return turnOf(ids, partialValue);
  const own = fc
    .tuple(fc.constantFrom(...replies), fc.constantFrom<Own['form']>('as it is', 'as it is', 'carried', 'shorter'))
    .map(([message, form]) => new Own(message, form));
  const value = fc.oneof({ weight: 3, arbitrary: partialValue }, { weight: 2, arbitrary: own });
  return turnOf(ids, value).map((turn) => {
    if (turn.partials === undefined) return turn;
    const said = new Set<unknown>();
    const partials = turn.partials.flatMap((partial) => {
      if (!(partial.value instanceof Own)) return [partial];
      if (said.has(partial.value.message)) return [];
      said.add(partial.value.message);
      return [{ ...partial, value: partial.value.value }];
    });
    return { ...turn, partials };
  });
}

/** A reply of several items as far as it came, one item at a time. */
export function prefixesOf<T>(items: readonly T[]): (readonly T[])[] {
  return items.map((_, i) => items.slice(0, i + 1));
}

/** A message without the last of whatever it holds a list of. */
function shorter(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || Object.getPrototypeOf(message) !== Object.prototype) {
    return message;
  }
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, -1) : value]),
  );
}

/** Half a minute on an idle machine, thousands of histories each. */
const PATIENCE_MS = 300_000;

/** The properties of one dialect. */
export function alwaysSendable<M>(histories: Histories<M>): void {
  const {
    dialect,
    kind,
    ids,
    wild,
    cut,
    partialValue,
    marksOf = marksIn,
    lost = () => [],
    repliesIn = (messages) => messages,
    isCutCall = (partials, id) => JSON.stringify(partials).includes(`"${id}"`),
  } = histories;

  describe(`S17 always sendable: ${dialect.name}${kind === undefined ? '' : `, ${kind}`}`, () => {
    const anyHistory = wild.chain((history) =>
      fc.tuple(fc.constant(history), turnAfter(repliesIn(history), ids, partialValue)),
    );
    test.prop([anyHistory], runs)(
      'any history at all',
      ([messages, turn]) => {
        const settled = settleAndVerify(dialect, messages, turn);
        expectKept(messages, settled, turn.partials, (mark) => mark.startsWith('text'));
      },
      PATIENCE_MS,
    );

    const cutHistory = cut.chain(({ history, callIds, open }) =>
      fc.tuple(fc.constant({ history, open }), turnAfter(repliesIn(history), callIds, partialValue)),
    );
    test.prop([cutHistory], runs)(
      'a conversation cut anywhere keeps its order and all that completed',
      ([{ history, open }, turn]) => {
        const settled = settleAndVerify(dialect, history, turn);
        expectKept(history, settled, turn.partials, (mark) => !/^(?:result|done)/.test(mark));
        const added = new Set(marksIn(turn.partials ?? []));
        const found = marksOf(settled);
        for (const result of new Set(marksOf(history).filter((mark) => mark.startsWith('result')))) {
          if (added.has(result)) continue;
          expect(
            found.filter((mark) => mark === result),
            `${result} once`,
          ).toHaveLength(1);
        }
        const json = JSON.stringify(settled);
        for (const id of open) {
          const row = turn.outcomes?.filter((one) => one.id === id).at(-1);
          // A call of a cut reply hardly ever ran: where ids come again, the row may be another call's.
          if (isCutCall(turn.partials ?? [], id)) continue;
          if (row?.status === 'completed' && row.value !== undefined) expect(json).toContain(`done<${id}>`);
        }
      },
      PATIENCE_MS,
    );
  });

  /** Nothing that was there is gone, and what no partial says again stands in its order. */
  function expectKept(
    before: readonly M[],
    settled: readonly M[],
    partials: unknown,
    isMeant: (mark: string) => boolean,
  ): void {
    const added = new Set(marksIn(partials ?? []));
    const gone = lost(before);
    const given = marksOf(before).filter((mark) => isMeant(mark) && !gone.includes(mark));
    const found = marksOf(settled).filter(isMeant);
    expect(
      given.filter((mark) => !found.includes(mark)),
      'nothing lost',
    ).toEqual([]);
    const isOwn = (mark: string): boolean => !added.has(mark);
    expect(found.filter(isOwn), 'in its order').toEqual(given.filter(isOwn));
  }
}
