import { expect, it } from 'vitest';

import { inTurn, noteTurns } from '../../../../src/adapters/terminal/injection/line-turns.ts';
import { KeyboardTurns } from '../../../../src/adapters/internal/keyboard/keyboard-turns.ts';
import { deferred } from '../../../../src/testing/fakes.ts';

const nothing = (): void => undefined;

it('a line is closed when the watcher of its gate has no keys any more, and only while it is open', async () => {
  const gate = {};
  const noted = noteTurns(gate, new KeyboardTurns());
  const line = deferred();
  const closed: string[] = [];
  await inTurn(
    gate,
    () => Promise.resolve(),
    () => void closed.push('over'),
  );
  const open = inTurn(
    gate,
    () => line.promise,
    () => {
      closed.push('open');
      line.resolve();
    },
  );
  noted.release();
  await open;
  expect(closed).toEqual(['open']);
});

it('a line waits for its turn by the gate of a watcher, and for nobody by any other gate', async () => {
  const gate = {};
  const turns = new KeyboardTurns();
  noteTurns(gate, turns);
  const prompt = deferred();
  const asked = turns.run(() => prompt.promise);
  const seen: string[] = [];
  const line = inTurn(gate, async () => void seen.push('its own'), nothing);
  await inTurn({}, async () => void seen.push('another'), nothing);
  expect(seen).toEqual(['another']);
  prompt.resolve();
  await asked;
  await line;
  expect(seen).toEqual(['another', 'its own']);
});
