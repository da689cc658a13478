/**
 * Puts some workloads, measured again, into the results page of a whole run: everything else on it stays as it is.
 *
 * @module
 */
import { block, cellsIn, type Column } from './report.ts';

/** Which workloads there are, in their order, and when and beside how much else these were measured. */
export interface Measuring {
  readonly order: readonly string[];
  readonly date: Date;
  /** Of the machine before it began: processes that wanted a core, on average over a minute. */
  readonly load: number;
}

interface Page {
  /** Up to the table's rule. */
  readonly head: readonly string[];
  /** Of its columns: `v24.21.0`. */
  readonly versions: readonly string[];
  /** The lines of each workload. */
  readonly blocks: Map<string, readonly string[]>;
  /** Below the table: how those were measured that are not of the whole run. */
  readonly notes: Map<string, string>;
}

const blockStart = /^\| \*\*(\w+)\*\* \|/;

function read(text: string): Page {
  const lines = text.trimEnd().split('\n');
  const at = lines.findIndex((line) => line.startsWith('| # |'));
  if (at === -1) throw new TypeError('RESULTS.md holds no table: measure everything with --write first');
  const versions = Array.from(lines[at]?.matchAll(/Node ([\d.]+)/g) ?? [], ([, version]) => `v${version ?? ''}`);
  const blocks = new Map<string, string[]>();
  const notes = new Map<string, string>();
  let open: string[] | undefined;
  for (const line of lines.slice(at + 2)) {
    const id = blockStart.exec(line)?.[1];
    if (id !== undefined) blocks.set(id, (open = []));
    if (line.startsWith('|')) open?.push(line);
    else if (line !== '') notes.set(line.split(' ')[0] ?? '', line);
  }
  return { head: lines.slice(0, at + 2), versions, blocks, notes };
}

/**
 * Refuses what has no place on the page, before anything is measured.
 *
 * @throws RangeError – a Node that is none of its columns.
 */
export function requireColumns(text: string, versions: readonly string[]): void {
  const page = read(text);
  for (const version of versions) {
    if (page.versions.includes(version)) continue;
    const there = page.versions.map((one) => one.slice(1)).join(' and ');
    throw new RangeError(
      `RESULTS.md has columns for Node ${there}, none for ${version.slice(1)}: measure everything with --write, or these without`,
    );
  }
}

/** The page with these workloads in the place of what it said of them; a Node that did not measure keeps its figures. */
export function withWorkloads(text: string, columns: readonly Column[], { order, date, load }: Measuring): string {
  const { head, versions, blocks, notes } = read(text);
  const all = versions.map((version) => columns.find((one) => one.version === version) ?? { version, results: [] });
  for (const result of columns[0]?.results ?? []) {
    const before = blocks.get(result.id) ?? [];
    const kept = ({ version }: Column, what: string): readonly string[] | undefined => {
      const row = before.find((line) => line.startsWith(`| | ${what} | `));
      const cells = row?.slice(`| | ${what} | `.length, -' |'.length).split(' | ');
      return cells?.slice(versions.indexOf(version) * 3).slice(0, 3);
    };
    blocks.set(
      result.id,
      block(result, all, (column, id, what) => cellsIn(column, id, what) ?? kept(column, what)),
    );
    notes.set(
      result.id,
      `${result.id} was measured on ${date.toISOString().slice(0, 10)}, at a load of ${load.toFixed(1)}.`,
    );
  }
  const sorted = <V>(by: ReadonlyMap<string, V>): V[] =>
    [...by].sort(([one], [other]) => order.indexOf(one) - order.indexOf(other)).map(([, value]) => value);
  const below = sorted(notes).flatMap((note) => ['', note]);
  return `${[...head, ...sorted(blocks).flat(), ...below].join('\n')}\n`;
}
