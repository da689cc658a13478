import { expect, it } from 'vitest';

import { geminiHosted } from '../../../../src/transcript/dialects/gemini/hosted.ts';
import { lostNote } from '../../../../src/core/foundation/results/lost-note.ts';

const begun = { role: 'model', parts: [{ text: 'I look.' }, { executableCode: { code: 'x' } }] } as never;
const ended = { role: 'model', parts: [{ codeExecutionResult: { outcome: 'OUTCOME_OK' } }] } as never;

it('a call of the provider stays where it has its result', () => {
  expect(geminiHosted.settle([begun, ended], true)).toEqual([begun, ended]);
});

it('a call of the provider without a result is taken out and told', () => {
  expect(geminiHosted.read([begun], true).notes).toEqual([lostNote(['code_execution'])]);
  expect(geminiHosted.settle([begun], true)).toEqual([
    { role: 'model', parts: [{ text: 'I look.' }] },
    { role: 'user', parts: [{ text: lostNote(['code_execution']) }] },
  ]);
});
