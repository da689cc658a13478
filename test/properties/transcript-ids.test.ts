/** Conversations with the ids that servers really give, in every dialect, and whatever was left behind of their turn. */
import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { settleTranscript, type TranscriptCall } from '../../src/transcript/index.ts';
import { marksIn, oddRuns, reasons, settleAndVerify, type AnyDialect } from '../transcript/support/arbitraries.ts';
import { answersIn, conversations } from '../transcript/support/conversations/conversation.ts';
import { oddValue } from '../transcript/support/conversations/odd-values.ts';
import type { Json } from '../transcript/support/conversations/writer.ts';
import { writers } from '../transcript/support/conversations/writers.ts';

const leavings = fc.record({
  rows: fc.array(fc.tuple(fc.constantFrom('completed', 'completed', 'stopped', 'failed'), oddValue), { maxLength: 4 }),
  extra: fc.boolean(),
  fold: fc.constantFrom('none', 'none', 'cut', 'complete'),
  reason: reasons,
});

describe.each(writers)('S17 ids of any kind: $name', ({ dialect, round, message, see }) => {
  test.prop([conversations, leavings], oddRuns)(
    'every result stays with its call',
    ({ rounds, answered, isAmbiguous }, left) => {
      const history = rounds.flatMap(round);
      const last = lastReply(history);
      const open = callsIn(dialect, isAmbiguous ? undefined : last).filter(({ raw }) => !isSaid(raw, answered));
      const outcomes = left.rows.slice(0, open.length).map(([status, value], i) => {
        const { id, name } = open[i] ?? { id: '', name: '' };
        return rowOf(id, name, status, `row<${String(i)}>`, value, left.reason);
      });
      if (left.extra) outcomes.push(rowOf('nowhere', 'pay', 'completed', 'row<paid>', 'x', left.reason));
      const said = message({ text: 'text<fold>', calls: [] });
      const fold = { message: said, text: 'text<fold>', calls: [], isComplete: left.fold === 'complete' };
      const partials = left.fold === 'none' ? [] : [{ modelCall: 9, value: fold, reason: left.reason }];
      const turn = { outcomes, partials, reason: left.reason };

      const settled = settleAndVerify(dialect, history, turn);
      const answers = answersIn(see(settled as readonly Json[]));
      for (const { replies } of rounds) {
        for (const { mark, isHalf } of replies.flatMap(({ calls }) => calls)) {
          const own = answers.get(mark);
          if (isHalf && own === undefined) continue;
          expect(own, `one answer to call<${mark}>`).toHaveLength(1);
          if (answered.has(mark)) expect(own?.[0]).toContain(`result<${mark}>`);
          else expect(own?.[0]).not.toContain('result<');
        }
      }
      const json = JSON.stringify(settled);
      for (const row of outcomes) {
        if (row.status === 'completed') expect(json, 'what completed is there').toContain((row.value as Json)['mark']);
      }
      if (left.fold !== 'none') expect(json.includes('cut off'), 'said to be cut').toBe(left.fold === 'cut');
      const texts = marksIn(settled).filter((mark) => mark.startsWith('text<') && mark !== 'text<fold>');
      expect(texts, 'in its order').toEqual(marksIn(history).filter((mark) => mark.startsWith('text<')));

      const { messages, changes } = settleTranscript(history, { dialect, ...turn } as never);
      const named = new Set(changes.map(({ at }) => at));
      const kept = new Set<unknown>(messages);
      const silent = history.flatMap((one, at) => (kept.has(one) || named.has(at) ? [] : [at]));
      expect(silent, 'a change for every message that is not as it was').toEqual([]);
    },
  );
});

/** The calls of a reply, with the ids that a ledger has; those of a page are its parts. */
function callsIn(
  dialect: AnyDialect<object>,
  reply: Json | undefined,
): readonly Pick<TranscriptCall, 'id' | 'name' | 'raw'>[] {
  if (reply === undefined) return [];
  if (!('parts' in reply) || reply['role'] !== 'assistant') return dialect.calls(reply);
  const all = (reply['parts'] as Json[]).filter((part) => part['type'] === 'dynamic-tool');
  // The framework keeps the rows of a page by the ids of its parts: of two with one id, nobody can say which.
  if (new Set(all.map((part) => part['toolCallId'])).size < all.length) return [];
  const parts = all.filter((part) => part['state'] === 'input-available');
  return parts.map((raw) => ({ id: String(raw['toolCallId']), name: String(raw['toolName']), raw }));
}

/** Whether a call has its result already, or was cut: then no row of a ledger can be its own. */
function isSaid(raw: object, answered: ReadonlySet<string>): boolean {
  const mark = /call<(\d+)>/.exec(JSON.stringify(raw))?.[1];
  return mark === undefined || answered.has(mark);
}

/** What the model said last, in the form in which its SDK gives it. */
function lastReply(history: readonly object[]): Json | undefined {
  const isModels = (one: object): boolean =>
    /"(?:assistant|model)"|"function_call"/.test(JSON.stringify(one).slice(0, 60));
  const at = history.findLastIndex(isModels);
  if (at === -1) return undefined;
  if (!('type' in (history[at] as object))) return history[at] as Json;
  const start = history.slice(0, at).findLastIndex((one) => !isModels(one)) + 1;
  return { output: history.slice(start, at + 1) };
}

function rowOf(
  id: string,
  name: string,
  status: string,
  mark: string,
  value: unknown,
  reason: unknown,
): ToolOutcome & { readonly value?: unknown } {
  const base = { id, name, call: {}, ms: 1, status };
  if (status === 'completed') return { ...base, value: { mark, value } } as never;
  return (status === 'failed' ? { ...base, error: value } : { ...base, reason, partial: value }) as never;
}
