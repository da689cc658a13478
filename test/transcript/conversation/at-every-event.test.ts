/**
 * A conversation is legal after every event of random turns, and at their end everything stands in it once.
 *
 * @module
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { dialectNamed, type DialectName } from '../../../src/transcript/index.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { play } from './support/play.ts';
import { randomTurns } from './support/random-turns.ts';
import { frameworks, wires } from './support/wires.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? propertyRuns(250));
const MINUTES = 60_000;

/** Where a conversation may move to in mid-life. */
const providers = wires.map((wire) => ({ dialect: dialectNamed(wire.name as DialectName), wire }));

it.each([...wires, ...frameworks].map((wire) => [wire.name, wire] as const))(
  'a conversation of %s is never refused, loses nothing and tells nothing twice, whatever is stopped where',
  { timeout: 60 * MINUTES },
  async (name, wire) => {
    const dialect = dialectNamed(name as DialectName);
    const others = wires.includes(wire) ? providers : [];
    await fc.assert(
      fc.asyncProperty(randomTurns, async (turns) => {
        const { refused, lost, doubled } = await play(dialect, wire, turns, { others });
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
    'a call that may have run, told as one that did not',
    'lost',
    (messages) =>
      JSON.parse(
        JSON.stringify(messages).replaceAll(/No result was recorded/g, 'Not started, so nothing happened'),
      ) as Messages,
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

const judges = wires.slice(0, 1).concat(frameworks);

it.each(judges.flatMap((wire) => plants.map((plant) => [wire.name, ...plant, wire] as const)))(
  'the judge of %s finds %s',
  { timeout: 60 * MINUTES },
  async (name, _fault, found, spoil, wire) => {
    const result = await fc.check(
      fc.asyncProperty(randomTurns, async (turns) => {
        const findings = await play(dialectNamed(name as DialectName), wire, turns, { spoil });
        return findings[found].length === 0;
      }),
      { numRuns: 400, endOnFailure: true },
    );
    expect(result.failed).toBe(true);
  },
);
