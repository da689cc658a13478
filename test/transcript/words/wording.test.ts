import { describe, expect, it } from 'vitest';

import { cancelKinds, type CancelKind } from '../../../src/core/foundation/cancel-kind.ts';
import { createWords, wordingTable, type WordingOutcome } from '../../../src/transcript/words/wording.ts';

const outcomes: readonly WordingOutcome[] = [
  'not-started',
  'stopped',
  'skipped',
  'declined',
  'detached',
  'unknown',
  'unrecorded',
  'after-stop',
  'over-limit',
  'half',
  'cut',
  'interrupted',
];
const cells = cancelKinds.flatMap((cause) =>
  outcomes.map((outcome) => ({ cause, outcome, text: wordingTable[cause][outcome] })),
);

describe('S19 wording', () => {
  it('is this table', () => {
    expect(wordingTable).toMatchSnapshot();
  });

  it('has a cell for every cause and every outcome, and no other', () => {
    expect(cells).toHaveLength(144);
    expect(Object.keys(wordingTable)).toEqual([...cancelKinds]);
    for (const cause of cancelKinds) expect(Object.keys(wordingTable[cause]).sort()).toEqual([...outcomes].sort());
  });

  it('tells the model not to retry after a cancel by the user, and after nothing else', () => {
    for (const { cause, outcome, text } of cells) {
      const isDirected =
        cause === 'user' && !['cut', 'interrupted', 'detached', 'after-stop', 'over-limit', 'half'].includes(outcome);
      expect(/do not retry/i.test(text), `${cause} ${outcome}: ${text}`).toBe(isDirected);
      expect(/wait for instructions/i.test(text), `${cause} ${outcome}: ${text}`).toBe(isDirected);
    }
  });

  it('claims that the user did it only where the user did it', () => {
    // Whatever ended the turn around it: a declined call is the user's own no, a detached one goes on, and a limit is a limit.
    const told = cells.filter(({ outcome }) => !['declined', 'detached', 'over-limit', 'half'].includes(outcome));
    for (const { cause, outcome, text } of told) {
      expect(/\buser\b|cancelled|you asked/i.test(text), `${cause} ${outcome}: ${text}`).toBe(cause === 'user');
    }
  });

  it('never calls a running tool refused or not started', () => {
    for (const { cause, outcome, text } of cells.filter((cell) =>
      ['stopped', 'unknown', 'unrecorded'].includes(cell.outcome),
    )) {
      expect(text, `${cause} ${outcome}`).not.toMatch(
        /reject|refus|declin|denied|not (been )?started|did not (run|start)|nothing happened/i,
      );
    }
  });

  it('says of what never ran that nothing happened, and of the rest that it may have', () => {
    for (const cause of cancelKinds) {
      expect(wordingTable[cause]['not-started']).toContain('nothing happened');
      expect(wordingTable[cause].skipped).toContain('not refused');
      expect(wordingTable[cause].unknown).toMatch(/may still complete, or have completed: check/);
      expect(wordingTable[cause].unrecorded).toMatch(/may have run: check/);
    }
  });

  it('is frozen', () => {
    expect(Object.isFrozen(wordingTable) && Object.values(wordingTable).every(Object.isFrozen)).toBe(true);
  });
});

describe('createWords', () => {
  it('gives the table without words of your own', () => {
    expect(createWords(undefined)('idle', 'stopped', 'x')).toBe(wordingTable.idle.stopped);
  });

  it('lays a partial table over it, cell by cell', () => {
    const words = createWords({ user: { stopped: 'Halted.' }, idle: undefined });
    expect(words('user', 'stopped')).toBe('Halted.');
    expect(words('user', 'unknown')).toBe(wordingTable.user.unknown);
    expect(words('idle', 'stopped')).toBe(wordingTable.idle.stopped);
  });

  it('asks a function, with our text to build upon, and takes undefined for ours', () => {
    const words = createWords(({ outcome, name, text }) =>
      outcome === 'stopped' ? `${name ?? '?'}: ${text}` : undefined,
    );
    expect(words('user', 'stopped', 'read')).toBe(`read: ${wordingTable.user.stopped}`);
    expect(words('user', 'cut')).toBe(wordingTable.user.cut);
  });

  it('takes a kind of a newer version for unknown', () => {
    expect(createWords(undefined)('earthquake' as CancelKind, 'stopped')).toBe(wordingTable.unknown.stopped);
  });

  it.each([
    [7, 'wording must be a function or a table, got 7'],
    [function* texts() {}, 'wording must be an async function instead of a generator, got function texts'],
    [{ earthquake: {} }, "a cause in wording must be one of 'user'"],
    [{ user: { halted: 'x' } }, "an outcome in wording.user must be one of 'not-started'"],
    [{ user: 'x' }, 'wording.user must be a table of outcomes, got "x"'],
  ])('refuses %j', (wording, message) => {
    expect(() => createWords(wording as never)).toThrow(message);
    expect(() => createWords(wording as never)).toThrow(TypeError);
  });

  it.each([' ', 7 as never])('refuses %j as the text of a cell', (text) => {
    expect(() => createWords({ user: { stopped: text } })('user', 'stopped')).toThrow(
      /wording for user and stopped must be a text that is not blank, got/,
    );
  });
});
