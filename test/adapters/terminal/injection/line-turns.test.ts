import { expect, it } from 'vitest';

import { inTurn, noteTurns } from '../../../../src/adapters/terminal/injection/line-turns.ts';
import { KeyboardTurns } from '../../../../src/adapters/internal/keyboard/keyboard-turns.ts';
import { deferred } from '../../../../src/testing/fakes.ts';

it('a line waits for its turn by the gate of a watcher, and for nobody by any other gate', async () => {
  const gate = {};
  const turns = new KeyboardTurns();
  noteTurns(gate, turns);
  const prompt = deferred();
  const asked = turns.run(() => prompt.promise);
  const seen: string[] = [];
  const line = inTurn(gate, async () => void seen.push('its own'));
  await inTurn({}, async () => void seen.push('another'));
  expect(seen).toEqual(['another']);
  prompt.resolve();
  await asked;
  await line;
  expect(seen).toEqual(['another', 'its own']);
});
