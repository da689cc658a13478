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
  ];
  for (const { id, title, rows } of first.results) {
    lines.push(`| **${id}** | **${title}** |${' |'.repeat(head.length)}`);
    for (const row of rows) {
      const cells = columns.flatMap(({ version, results }) => {
        const same = results.find((result) => result.id === id)?.rows.find(({ what }) => what === row.what);
        if (same === undefined) return ['', '', ''];
        const major = majorOf(version);
        return [valueText(same), goalText(same, major), verdict(same, major)];
      });
      lines.push(`| | ${row.what} | ${cells.join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}
