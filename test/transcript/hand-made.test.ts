/** What a program writes by hand – words of its own, rows of a ledger, values with holes – is told once, and settled for good. */
import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../src/index.ts';
import { dialectNames } from '../../src/transcript/dialects/table.ts';
import { checkTranscript, dialectNamed, settleTranscript } from '../../src/transcript/index.ts';
import { settleReport } from './support/settle-report.ts';

const reason = createReason({ kind: 'user', at: 0 });
const done = (id: string, name: string, value: unknown): ToolOutcome => ({
  id,
  name,
  call: { input: { to: 'Ann' } },
  ms: 1,
  status: 'completed',
  value,
});

describe.each(dialectNames)('%s', (name) => {
  const dialect = dialectNamed(name) as never;
  const prompt: never = (
    name === 'gemini' ? { role: 'user', parts: [{ text: 'Pay Ann.' }] } : { role: 'user', content: 'Pay Ann.' }
  ) as never;

  it('S19 words that end in white space are told without it, and settled for good', () => {
    const wording = { user: { cut: '(cut by the user)\n' } };
    const partials = [{ modelCall: 1, value: 'Half', reason }];
    const report = { calls: [], partials, stop: { reason } };
    const { messages } = settleReport([prompt], report, { dialect, wording });
    expect(checkTranscript(messages, { dialect })).toEqual([]);
    expect(settleReport(messages, report, { dialect, wording }).changes).toEqual([]);
    expect(JSON.stringify(messages)).toContain('(cut by the user)"');
  });

  it('S17 a list of holes that a tool returned is told as JSON', () => {
    const outcomes = [done('c1', 'pay', new Array(3))];
    const { messages } = settleTranscript([prompt], { dialect, outcomes, turnStart: 0 });
    expect(JSON.stringify(messages)).toContain('[null,null,null]');
    const again = settleTranscript(messages, { dialect });
    expect(again.changes).toEqual([]);
    expect(again.messages).toEqual(messages);
  });

  it('refuses a row without a name', () => {
    const outcomes = [done('c0', 'pay', 'paid'), done('c1', '', 'receipt')];
    const error = new TypeError('outcomes[1].name must be a text that is not empty, got ""');
    expect(() => settleTranscript([prompt], { dialect, outcomes })).toThrow(`options.${error.message}`);
    expect(() => dialectNamed(name).toolResults(outcomes)).toThrow(error);
  });
});
