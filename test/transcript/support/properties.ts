/**
 * What holds for every dialect, whatever its messages look like: the body of their properties, which bring only the
 * histories.
 *
 * @module
 */
import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import type { AnyFormat } from '../../../src/testing/fast-check/transcripts/transcript.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { marksIn, reasons, rowsOf, runs, settleAndVerify, type AnyDialect } from './arbitraries.ts';
import { messageWriter } from '../../../src/transcript/index.ts';

/** The histories of one dialect. Everything that may be asked for later carries a mark: `text<1>`, `result<1>`. */
export interface Histories<M> {
  readonly dialect: AnyFormat<M>;
  /** What is read here, where the dialect has more than one kind of message. */
  readonly kind?: string;
  /** The ids that the calls of `wild` have. */
  readonly ids: readonly string[];
  /** Anything at all: every rule broken in every combination. */
  readonly wild: fc.Arbitrary<M[]>;
  /** What is left of a legal conversation that was cut, and the ids of its calls. */
  readonly cut: fc.Arbitrary<CutHistory<M>>;
  /** What a model call may have kept of a reply that was cut; absent where no model call gives such messages. */
  readonly partialValue?: fc.Arbitrary<unknown>;
  /** The marks that are sent, in their order; by default every one that there is. */
  readonly marksOf?: (messages: readonly M[]) => string[];
  /** The texts that go, by the rules; by default none. */
  readonly lost?: (messages: readonly M[]) => readonly string[];
  /** Those of any history that may go, by what else of it goes; by default none. */
  readonly mayGo?: (messages: readonly M[]) => readonly string[];
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

/** The thoughts behind the last words of each message: where nothing else behind them stays, they go. */
export function lastThoughts(messages: readonly unknown[]): readonly object[] {
  return messages.flatMap((message) => {
    const { kwargs, content = kwargs?.content } = Object(message) as {
      kwargs?: { content?: unknown };
      content?: unknown;
    };
    if (!Array.isArray(content)) return [];
    const blocks = content as readonly { readonly type?: string; readonly text?: string }[];
    const end = blocks.findLastIndex(({ type, text }) => type === 'text' && (text ?? '').trim() !== '');
    return blocks.slice(end + 1).filter(({ type = '' }) => /thinking|reasoning/.test(type));
  });
}

let marks = 0;

/** A mark that nothing else has. */
export function nextMark(kind: 'text' | 'result'): string {
  marks += 1;
  return `${kind}<${String(marks)}>`;
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
    mayGo = () => [],
  } = histories;

  describe(`S17 always sendable: ${dialect.name}${kind === undefined ? '' : `, ${kind}`}`, () => {
    test.prop([wild, rowsOf(ids)], runs)(
      'any history at all',
      (messages, outcomes) => {
        const settled = settleAndVerify(dialect, messages, { outcomes });
        const found = new Set(marksOf(settled));
        const free = new Set(mayGo(messages).filter((mark) => !found.has(mark)));
        expectKept(messages, settled, (mark) => mark.startsWith('text') && !free.has(mark));
      },
      PATIENCE_MS,
    );

    const cutHistory = cut.chain((one) => fc.tuple(fc.constant(one), rowsOf(one.callIds)));
    test.prop([cutHistory], runs)(
      'a conversation cut anywhere keeps its order and all that completed',
      ([{ history, open }, outcomes]) => {
        const settled = settleAndVerify(dialect, history, { outcomes });
        expectKept(history, settled, (mark) => !/^(?:result|done)/.test(mark));
        const found = marksOf(settled);
        for (const result of new Set(marksOf(history).filter((mark) => mark.startsWith('result')))) {
          expect(
            found.filter((mark) => mark === result),
            `${result} once`,
          ).toHaveLength(1);
        }
        const json = JSON.stringify(settled);
        for (const id of open) {
          const row = outcomes.filter((one) => one.id === id).at(-1);
          if (row?.status === 'completed' && row.value !== undefined) expect(json).toContain(`done<${id}>`);
        }
      },
      PATIENCE_MS,
    );

    if (partialValue === undefined) return;
    test.prop([partialValue, fc.boolean(), reasons], runs)(
      'a cut reply of any form is legal behind its prompt',
      (value, isCarried, reason) => {
        const partial = isCarried ? { message: value, isComplete: false } : value;
        let said: readonly M[];
        try {
          said = messageWriter(dialect as AnyDialect<M>).reply({ status: 'interjected', partial, reason });
        } catch (error) {
          expect((error as Error).message).toMatch(/^reply /);
          return;
        }
        const { opening } = rulesOf({ dialect: dialect as AnyDialect<M> });
        // What the provider began in a reply before it only a list knows, and the writer has none.
        const found = dialect.check([opening, ...said]);
        expect(found.filter(({ what }) => !/^a (?:server tool's )?result/.test(what))).toEqual([]);
        if (found.length > 0) return;
        expect(settleAndVerify(dialect, [opening, ...said], {})).toEqual([opening, ...said]);
      },
      PATIENCE_MS,
    );
  });

  /** Nothing that was there is gone, and it stands in its order. */
  function expectKept(before: readonly M[], settled: readonly M[], isMeant: (mark: string) => boolean): void {
    const gone = lost(before);
    const given = marksOf(before).filter((mark) => isMeant(mark) && !gone.includes(mark));
    const found = marksOf(settled).filter(isMeant);
    expect(
      given.filter((mark) => !found.includes(mark)),
      'nothing lost',
    ).toEqual([]);
    expect(found, 'in its order').toEqual(given);
  }
}
