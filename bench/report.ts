/**
 * Results as people read them: a line while it runs, a table when it is done.
 *
 * @module
 */
import { arch, cpus, platform } from 'node:os';
import { goalOn, passes, type Row } from './workload.ts';

/** What one Node found for one workload. */
export interface Result {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Everything one Node found. */
export interface Column {
  /** `v24.21.0` */
  readonly version: string;
  readonly results: readonly Result[];
}

export function majorOf(version: string): number {
  return Number(/^v(\d+)/.exec(version)?.[1]);
}

function number(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4;
  return value.toLocaleString('en', {
    maximumFractionDigits: digits,
    minimumFractionDigits: size >= 100 ? 0 : undefined,
  });
}

export function valueText(row: Row): string {
  return row.unit === 'x' ? `${number(row.value)}×` : `${number(row.value)} ${row.unit}`;
}

export function goalText(row: Row, major: number): string {
  if (row.atLeast !== undefined) return `≥ ${number(goalOn(major, row.atLeast))}`;
  return row.atMost === undefined ? '' : `≤ ${number(goalOn(major, row.atMost))}`;
}

function verdict(row: Row, major: number): string {
  if (row.atLeast === undefined && row.atMost === undefined) return '';
  return passes(row, major) ? 'pass' : '**miss**';
}

/** One line for a terminal. */
export function line(id: string, row: Row, major: number): string {
  const mark = row.atLeast === undefined && row.atMost === undefined ? ' ' : passes(row, major) ? '✓' : '✗';
  return `${mark} ${id.padEnd(4)} ${row.what.padEnd(62)} ${valueText(row).padStart(14)}  ${goalText(row, major)}`;
}

/** The table of RESULTS.md, one block of columns per Node. */
export function markdown(columns: readonly Column[], peers: readonly string[], date: Date): string {
  const [first] = columns;
  if (first === undefined) return '';
  const cpu = cpus();
  const head = columns.flatMap(({ version }) => [`Node ${version.slice(1)}`, 'goal', '']);
  const lines = [
    '# Results',
    '',
    'Written by `npm run bench -- --write`. What each line means: [README.md](README.md).',
    '',
    `- Date: ${date.toISOString().slice(0, 10)}`,
    `- Machine: ${cpu[0]?.model.trim() ?? 'unknown'}, ${String(cpu.length)} cores, ${platform()} ${arch()}`,
    `- Node: ${columns.map(({ version }) => version.slice(1)).join(', ')}`,
    `- Peers: ${peers.join(', ')}`,
    '',
    `| # | workload | ${head.join(' | ')} |`,
    `|---|---|${head.map((cell) => (cell === '' ? '---|' : '--:|')).join('')}`,
    ...first.results.flatMap((result) => block(result, columns)),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The lines of one workload.
 *
 * @param cellsOf What stands in the columns of one row; by default what was measured, and nothing where nothing was.
 */
export function block({ id, title, rows }: Result, columns: readonly Column[], cellsOf = cellsIn): readonly string[] {
  return [
    `| **${id}** | **${title}** |${' |'.repeat(columns.length * 3)}`,
    ...rows.map(({ what }) => {
      const cells = columns.flatMap((column) => cellsOf(column, id, what) ?? ['', '', '']);
      return `| | ${what} | ${cells.join(' | ')} |`;
    }),
  ];
}

/** The cells of one row in one column: the value, the goal, and whether it is reached; `undefined` if it was not measured. */
export function cellsIn({ version, results }: Column, id: string, what: string): readonly string[] | undefined {
  const row = results.find((result) => result.id === id)?.rows.find((one) => one.what === what);
  const major = majorOf(version);
  return row && [valueText(row), goalText(row, major), verdict(row, major)];
}
