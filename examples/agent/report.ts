/** The stop report as a person reads it. */
import type { StopReport } from 'desist';

function pad(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** One row per operation, then what is left running. */
export function formatReport(report: StopReport): string {
  const { reason, operations, abandoned, settledMs } = report;
  const by = reason === undefined ? 'nothing to stop' : `${reason.message} (${reason.kind})`;
  const rows = [
    ['operation', 'name', 'agent', 'outcome', 'ms'],
    ...operations.map(({ kind, name, agent, outcome, ms }) => [kind, name, agent, outcome, ms.toFixed(0)]),
  ];
  const left = abandoned.length === 0 ? '0 left running' : `LEFT RUNNING: ${abandoned.join(', ')}`;
  return [`── stopped in ${settledMs.toFixed(0)} ms: ${by}`, ...pad(rows).map((row) => `   ${row}`), `── ${left}`].join(
    '\n',
  );
}
