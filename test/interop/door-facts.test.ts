/**
 * What every door must say, as one table of doors and facts: what became of a call reaches the model in the words of the table, what a reply has cost
 * reaches the budget, and what a person said reaches nobody else. Where a fact says nothing of a door, the table has the reason.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { majors, type Major } from './majors.ts';
import { factNames } from './support/doors/door.ts';
import { doorsOf } from './support/doors/doors.ts';
import { facts } from './support/doors/facts.ts';

const [newest] = majors as readonly [Major, Major];
const doors = await doorsOf(newest);

afterAll(async () => {
  for (const { close } of doors) await close?.();
});

describe.each(factNames)('%s', (fact) => {
  it.each(doors.filter(({ leftOut }) => leftOut[fact] === undefined))('$name', async (door) => {
    await facts[fact](door);
  });
});

it('a fact is left out of a door for a reason', () => {
  const reasons = doors.flatMap(({ leftOut }) => factNames.map((fact) => leftOut[fact]));
  const played = reasons.filter((reason) => reason === undefined).length;
  expect({ doors: doors.length, played }).toEqual({ doors: 8, played: 72 });
  expect([...new Set(reasons)]).toHaveLength(8);
});
