/**
 * The criteria of a classic agent, each one test; the gap that the hand-made version had is planted back in a second
 * one, which passes only if the same check fails there. What passed is a row of the table in `docs/classic.md`.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { cpSync, mkdtempSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { expect, it } from 'vitest';

import { placeSection, sectionOf, type CriterionRow } from '../../../../scripts/classic-table.ts';
import { isLong } from '../../../support/long.ts';

/** One place of the program, and what stands there with the gap. */
export interface Plant {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** For what the program takes from the package as it is: the check itself does what the hand-made version did. */
export const inCheck: Plant = { file: '', from: '', to: '' };

/** One performance of a check. */
export interface Stage {
  /** The gap that is planted back, if this is the performance that has to fail. */
  readonly plant: Plant | undefined;
  /** What is to be closed afterwards, the last one first. */
  readonly closers: (() => Promise<unknown>)[];
}

export interface Criterion {
  /** What the hand-made version could not do. */
  readonly gap: string;
  /** Does what a person would do; throws where the program does not do what the title says. */
  readonly check: (stage: Stage) => Promise<void>;
  /** `red` is how the check fails with it: not of something else. */
  readonly plant?: (Plant & { readonly red: RegExp }) | undefined;
  /** `false` where a program is missing that only a test machine has to have. */
  readonly canRun?: boolean | undefined;
}

const table = fileURLToPath(new URL('../../../../docs/classic.md', import.meta.url));
const hook = new URL('plant.ts', import.meta.url);

/** The environment that starts a program with the gap. */
export function planted(plant: Plant | undefined): Readonly<Record<string, string>> {
  return plant === undefined ? {} : { NODE_OPTIONS: `--import=${hook.href}`, PLANT: JSON.stringify(plant) };
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A part of a program: its module as it is, or of a copy of the program with the gap planted. */
export async function part<T>(folder: string, file: string, { plant, closers }: Stage): Promise<T> {
  const source = join(root, 'examples', 'classic', folder);
  if (plant === undefined || plant.file === '') return (await import(pathToFileURL(join(source, file)).href)) as T;
  const copies = join(root, '.artifacts', 'classic');
  mkdirSync(copies, { recursive: true });
  const copy = mkdtempSync(join(copies, 'planted-'));
  closers.push(() => rm(copy, { recursive: true, force: true }));
  cpSync(source, copy, { recursive: true });
  const parts = readFileSync(join(copy, plant.file), 'utf8').split(plant.from);
  if (parts.length !== 2) throw new Error(`${String(parts.length - 1)} places in ${plant.file} read: ${plant.from}`);
  writeFileSync(join(copy, plant.file), parts.join(plant.to));
  return (await import(pathToFileURL(join(copy, file)).href)) as T;
}

/** Gaps show that a check can fail, and no change of the product moves them. */
const plantsGaps = isLong;

const performed = new AsyncLocalStorage<Stage>();

/** For what has to come, ms: five programs start beside each other, on a machine that has other work. */
const patience = 30_000;

/** For the start of a program beside all the others that have a gap planted. */
export const startMs = 30_000;

/** How long to wait for what a check waits for: with the gap planted it may never come, without it has all the time. */
export function waitMs(ms: number): number {
  return performed.getStore()?.plant === undefined ? Math.max(ms, patience) : ms;
}

/** How long to watch for what must not come: with the gap planted it does, and may take its time. */
export function quietMs(ms: number): number {
  return performed.getStore()?.plant === undefined ? ms : 6 * ms;
}

async function perform(check: Criterion['check'], plant?: Plant): Promise<void> {
  const stage: Stage = { plant, closers: [] };
  try {
    await performed.run(stage, () => check(stage));
  } finally {
    for (const close of stage.closers.reverse()) await close();
  }
}

interface Entry {
  readonly row: CriterionRow;
  passed: boolean;
  red: boolean;
}

/** The criteria of one system, under its heading; `inTable` comes last. */
export function classicSystem(heading: string): {
  readonly criterion: (title: string, criterion: Criterion) => void;
  readonly inTable: () => void;
} {
  const rows: Entry[] = [];
  const plants: { entry: Entry; check: Criterion['check']; plant: NonNullable<Criterion['plant']> }[] = [];
  return {
    criterion(title, { gap, check, plant, canRun = true }) {
      const isPlanted = plant !== undefined;
      const isPlayed = plantsGaps && canRun;
      // What cannot run here has been tested where it can.
      const entry: Entry = { row: { gap, title, isPlanted }, passed: !canRun, red: !isPlayed && isPlanted };
      rows.push(entry);
      it.runIf(canRun)(title, async () => {
        await perform(check);
        entry.passed = true;
      });
      if (plant !== undefined && isPlayed) plants.push({ entry, check, plant });
    },
    inTable() {
      // Together at the end, beside each other: most of the time they wait for what does not come.
      for (const { entry, check, plant } of plants) {
        it.concurrent(`${entry.row.title}: the check fails with the gap planted back`, async () => {
          await expect(perform(check, plant)).rejects.toThrow(plant.red);
          entry.red = true;
        });
      }
      it(`The table shows what was tested of ${heading}`, () => {
        expect(rows.filter(({ row, passed, red }) => !passed || red !== row.isPlanted)).toEqual([]);
        const section = sectionOf(
          heading,
          rows.map(({ row }) => row),
        );
        const page = readFileSync(table, 'utf8');
        const updated = placeSection(page, heading, section);
        if (process.env['UPDATE_CLASSIC'] !== undefined) writeFileSync(table, updated);
        else expect(page).toBe(updated);
      });
    },
  };
}
