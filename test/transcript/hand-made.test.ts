/** What a program writes by hand – words of its own, rows of a ledger, values with holes – is told once, and settled for good. */
import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../src/index.ts';
import { dialectNames } from '../../src/transcript/dialects/table.ts';
import { checkTranscript, dialectNamed, settleTranscript, settleTurn } from '../../src/transcript/index.ts';

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
    const wording = { user: { cut: '(cut by the user)\n', interrupted: 'Stopped. ' } };
    const partials = [{ modelCall: 1, value: 'Half', reason }];
    for (const cut of [partials, []]) {
      const report = { status: 'cancelled', calls: [], partials: cut, stop: { reason } } as const;
      const options = { dialect, wording, policy: 'marker' } as const;
      const { messages } = settleTurn([prompt], report, options);
      expect(checkTranscript(messages, { dialect })).toEqual([]);
      expect(settleTurn(messages, report, options).changes).toEqual([]);
      expect(JSON.stringify(messages)).toContain(cut.length > 0 ? '(cut by the user)"' : 'Stopped."');
    }
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
    const report = { status: 'completed', calls: outcomes, partials: [] } as const;
    const error = new TypeError('outcomes[1].name must be a text that is not empty, got ""');
    expect(() => settleTranscript([prompt], { dialect, outcomes })).toThrow(`options.${error.message}`);
    expect(() => settleTurn([prompt], report, { dialect })).toThrow(`options.${error.message}`);
    expect(() => dialectNamed(name).toolResults(outcomes)).toThrow(error);
  });
});
