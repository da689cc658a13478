import { expect, it } from 'vitest';

import { inTurn, keepForPrompt, noteTurns } from '../../../../src/adapters/terminal/injection/line-turns.ts';
import { KeyboardTurns } from '../../../../src/adapters/internal/keyboard/keyboard-turns.ts';
import { deferred } from '../../../../src/testing/fakes.ts';

const nothing = (): void => undefined;

/** An owner of which only this much is used; what holds the process open is counted. */
function ownerOf(turns: KeyboardTurns): Parameters<typeof noteTurns>[1] & { held: number } {
  const owner = {
    turns,
    held: 0,
    prompts: {
      keepAlive: () => {
        owner.held++;
        return { release: () => void owner.held-- };
      },
    },
  };
  return owner as never;
}

it('a line is closed when the watcher of its gate has no keys any more, and only while it is open', async () => {
  const gate = {};
  const noted = noteTurns(gate, ownerOf(new KeyboardTurns()), nothing);
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
  const owner = ownerOf(turns);
  noteTurns(gate, owner, nothing);
  const prompt = deferred();
  const asked = turns.run(() => prompt.promise);
  const seen: string[] = [];
  const line = inTurn(gate, async () => void seen.push('its own'), nothing);
  await inTurn({}, async () => void seen.push('another'), nothing);
  expect([seen, owner.held]).toEqual([['another'], 1]);
  prompt.resolve();
  await asked;
  await line;
  expect([seen, owner.held]).toEqual([['another', 'its own'], 0]);
});

it('what was typed is kept by the watcher of a gate, and by nobody for any other gate', () => {
  const gate = {};
  const kept: string[] = [];
  noteTurns(gate, ownerOf(new KeyboardTurns()), (text) => kept.push(text));
  expect([keepForPrompt(gate, 'half\na line'), keepForPrompt({}, 'of another')]).toEqual([true, false]);
  expect(kept).toEqual(['half a line']); // a line feed would send it
});
