/**
 * A conversation is legal after every event of random turns, and at their end everything stands in it once.
 *
 * @module
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { dialectNamed, type DialectName } from '../../../src/transcript/index.ts';
import { play, randomTurns } from './support/random-turns.ts';
import { frameworks, wires, type Wire } from './support/wires.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 60);
const MINUTES = 60_000;

it.each([...wires, ...frameworks].map((wire) => [wire.name, wire] as const))(
  'a conversation of %s is never refused, loses nothing and tells nothing twice, whatever is stopped where',
  { timeout: 60 * MINUTES },
  async (name, wire) => {
    const dialect = dialectNamed(name as DialectName);
    await fc.assert(
      fc.asyncProperty(randomTurns, async (turns) => {
        const { refused, lost, doubled } = await play(dialect, wire, turns);
        expect({ refused, lost, doubled }).toEqual({ refused: [], lost: [], doubled: [] });
      }),
      { numRuns: RUNS },
    );
  },
);

type Messages = Readonly<Record<string, unknown>>[];

/** Faults as a conversation could have them, and what a judge that knows finds of each. */
const plants: readonly [name: string, found: 'refused' | 'lost', spoil: (messages: Messages) => Messages][] = [
  [
    'a message of the person one place too early',
    'refused',
    (messages) => {
      const at = messages.findIndex(({ content }, i) => i > 1 && String(content).includes('«news'));
      if (at < 1) return messages;
      const [news] = messages.splice(at, 1);
      messages.splice(at - 1, 0, news as never);
      return messages;
    },
  ],
  [
    'a late result that is lost',
    'lost',
    (messages) => messages.filter((one) => !JSON.stringify(one).includes('since')),
  ],
  [
    'an id that two calls have',
    'refused',
    (messages) => {
      const json = JSON.stringify(messages);
      const [first = ''] = /"c\d+"/.exec(json) ?? [];
      return JSON.parse(json.replaceAll(/"c\d+"/g, first)) as Messages;
    },
  ],
];

it.each(plants)('the judge finds %s', { timeout: 60 * MINUTES }, async (_name, found, spoil) => {
  const [anthropic] = wires;
  const result = await fc.check(
    fc.asyncProperty(randomTurns, async (turns) => {
      const findings = await play(dialectNamed('anthropic'), anthropic as Wire, turns, spoil);
      return findings[found].length === 0;
    }),
    { numRuns: 400, endOnFailure: true },
  );
  expect(result.failed).toBe(true);
});
