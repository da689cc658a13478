/** S46: what happened in one dialect is told in another, and back: accepted at each step, and nothing is lost. */
import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../src/index.ts';
import { writerOf } from '../../src/testing/fast-check/transcripts/writers/index.ts';
import { dialectNamed, type DialectName, messageWriter } from '../../src/transcript/index.ts';
import { dialectNames } from '../../src/transcript/dialects/table.ts';
import { marksIn, outcomeOf, settleAndVerify, type AnyDialect } from '../transcript/support/arbitraries.ts';
import { nextMark } from '../transcript/support/properties.ts';

/** One turn, in nobody's format. */
interface Told {
  readonly prompt: string;
  readonly said: string;
  readonly calls: readonly ToolOutcome[];
}

/** As servers make them: some are legal nowhere else. */
const ids = ['call_1', 'toolu_01A', 'functions.read:0', 'functions.read_0', 'read#1', 'a b', 'x'.repeat(70), 'ü'];

const turn = fc
  .uniqueArray(fc.constantFrom(...ids), { maxLength: 3 })
  .chain((own) => fc.tuple(...own.map((id) => outcomeOf(id).map((row) => withName(row)))))
  .map((calls): Told => ({ prompt: `${nextMark('text')} and?`, said: `${nextMark('text')}.`, calls }));

/** A tool has a name that every server takes; the row says which call it was by its value. */
function withName(row: ToolOutcome): ToolOutcome {
  const named = { ...row, name: 'read' };
  return row.status === 'completed' ? ({ ...named, value: nextMark('result') } as ToolOutcome) : named;
}

function promptIn(name: DialectName, text: string): object {
  return name === 'gemini' ? { role: 'user', parts: [{ text }] } : { role: 'user', content: text };
}

/** As somebody writes it who goes over to another dialect: prompt, calls with what became of them, then what was said. */
function tell(name: DialectName, turns: readonly Told[]): readonly object[] {
  const dialect = dialectNamed(name) as unknown as AnyDialect<object>;
  const writer = writerOf(name);
  return turns.flatMap(({ prompt, said, calls }) => {
    const asked = calls.map(({ id, name: tool }, i) => ({ mark: String(i), id, name: tool, isHalf: false }));
    const reply = calls.length === 0 ? [] : writer.reply({ text: '', calls: asked }, []);
    const own = calls.length === 0 ? [] : dialect.calls(reply.length === 1 ? reply[0] : { output: reply });
    const rows = calls.map((row, i): ToolOutcome => ({ ...row, id: own[i]?.id ?? row.id, call: own[i] }));
    const results = messageWriter(dialect).toolResults(rows);
    return [promptIn(name, prompt), ...reply, ...results, ...messageWriter(dialect).reply(replyIn(name, said))];
  });
}

/** A whole reply that only says something, as each takes it. */
function replyIn(name: DialectName, text: string): unknown {
  if (name === 'ai-sdk') return { role: 'assistant', content: [{ type: 'text', text }] };
  return text;
}

describe('S46 a switch of the model', () => {
  const path = fc.array(fc.constantFrom(...dialectNames), { minLength: 2, maxLength: 4 });
  test.prop([turns(1), path], { numRuns: 1_000 })(
    'S46 a conversation is accepted at each step, keeps all that was said and done, and is the same when it comes back',
    moves,
    300_000,
  );

  const pairs = dialectNames.flatMap((from) =>
    dialectNames.filter((to) => to !== from).map((to) => [from, to] as const),
  );
  it.each(pairs)('S46 from %s to %s and back', (from, to) => {
    fc.assert(
      fc.property(turns(3), (told) => {
        moves(told, [from, to, from]);
      }),
      { numRuns: 30 },
    );
  });
});

function turns(least: number): fc.Arbitrary<Told[]> {
  return fc.array(turn, { minLength: least, maxLength: 4 });
}

/** Tells a conversation in one dialect after another; it goes on at each step. */
function moves(turns: readonly Told[], path: readonly DialectName[]): void {
  const seen = new Map<DialectName, string>();
  path.forEach((name, step) => {
    const told = turns.slice(0, step + 1);
    const messages = tell(name, told);
    const dialect = dialectNamed(name) as unknown as AnyDialect<object>;
    const settled = settleAndVerify(dialect, messages, {});
    const marks = told.flatMap(({ prompt, said, calls }) =>
      marksIn([prompt, calls.map((row) => (row.status === 'completed' ? row.value : '')), said]),
    );
    expect(marksIn(settled).filter((mark) => !/^(?:done|call)/.test(mark))).toEqual(marks);
    const bytes = JSON.stringify(settled);
    const before = seen.get(name);
    // Prompt caches survive: what comes back begins as it was.
    if (before !== undefined) expect(bytes.startsWith(before.slice(0, -1))).toBe(true);
    seen.set(name, bytes);
  });
}
