import { expect, it } from 'vitest';

import { PromptGate } from '../../../../../src/adapters/internal/keyboard/prompts/prompt-gate.ts';

it('counts prompts, loans and programs apart', () => {
  const gate = new PromptGate();
  const seen = (): boolean[] => [gate.isWaitingInput, gate.isLent, gate.isHandedOver];
  gate.enter();
  expect(seen()).toEqual([true, false, false]);
  const prompt = gate.lend('prompt');
  expect(seen()).toEqual([true, true, false]);
  const program = gate.lend('program');
  expect(seen()).toEqual([true, true, true]);
  expect([program(), program()]).toEqual([true, false]);
  expect(seen()).toEqual([true, true, false]);
  prompt();
  expect(seen()).toEqual([true, false, false]);
  gate.exit();
  expect(seen()).toEqual([false, false, false]);
  expect(() => {
    gate.exit();
  }).toThrow('gate.exit() was called more often than gate.enter()');
});
