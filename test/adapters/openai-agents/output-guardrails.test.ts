import { describe, expect, it } from 'vitest';

import { withOutputGuardrails } from '../../../src/adapters/openai-agents/output-guardrails.ts';
import { notShown, shownOf } from '../../../src/core/foundation/results/shown.ts';

const details = { toolCall: { callId: 'c1' } };
const allow = { behavior: { type: 'allow' } };
const reject = { behavior: { type: 'rejectContent', message: 'withheld' } };

/** A tool with guardrails that say this, and what its row shows once so many of them were asked. */
async function shownAfter(outputs: readonly unknown[], asked: number, isWhole = true): Promise<unknown> {
  let given: unknown;
  const tool = withOutputGuardrails({
    invoke: async (_context: unknown, _input: string, own?: object) => {
      given = own;
      return await Promise.resolve('secret');
    },
    outputGuardrails: outputs.map((output) => ({ run: async (_given: object) => await Promise.resolve(output) })),
  });
  await tool.invoke({}, '{}', details);
  for (const { run } of tool.outputGuardrails.slice(0, asked)) await run({ ...details, output: 'secret' });
  return shownOf(given, 'secret', isWhole)?.value;
}

describe('a tool with output guardrails', () => {
  it.each([
    ['the value, once all of them let it pass', [allow, {}], 2, 'secret'],
    ['the words of the one that does not', [allow, reject], 2, 'withheld'],
    ['words, before they were asked', [allow], 0, notShown],
    ['words, before all of them were asked', [allow, allow], 1, notShown],
    ['words, where one fails the run', [{ behavior: { type: 'throwException' } }], 1, notShown],
  ])('shows %s', async (_what, outputs, asked, told) => {
    expect(await shownAfter(outputs, asked)).toBe(told);
  });

  it('shows nothing of what it had produced before its end', async () => {
    expect(await shownAfter([allow], 1, false)).toBeUndefined();
  });

  it('is itself where it has none', () => {
    for (const tool of [{ invoke: () => 1 }, { invoke: () => 1, outputGuardrails: [] }, { outputGuardrails: [{}] }]) {
      expect(withOutputGuardrails(tool)).toBe(tool);
    }
  });
});
