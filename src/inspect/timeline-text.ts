/**
 * A trace for a terminal or a log.
 *
 * @module
 */
import { formatMs, requireTrace, timelineRows, type TimelineRow } from './timeline-rows.ts';
import type { Trace } from './trace.ts';

const WIDTH = 32;

/**
 * Draws a trace as text: a line per operation, `|` where it was asked to stop. Control characters in names are taken out.
 *
 * @checkpoint never
 * @param trace From `recording.trace()`.
 * @returns Lines, without a line break at the end.
 * @throws TypeError – not a trace.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { record, timelineText } from 'desist/inspect'
 *
 * const agent = new InterruptController({ name: 'main' })
 * using recording = record(agent)
 * await agent.runTurn(() => 'done')
 * timelineText(recording.trace()).includes('turn 1') // => true
 * ```
 * @since 0.1.0
 */
export function timelineText(trace: Trace): string {
  requireTrace(trace);
  const { rows, shareOf } = timelineRows(trace);
  const stops = trace.stops.map(({ kind, agent, reason, requestedAt, settledAt, survivors }) => {
    const end = settledAt === undefined ? 'not settled' : `settled after ${formatMs(settledAt - requestedAt)}`;
    const left = survivors.length === 0 ? '' : `, ${String(survivors.length)} STILL RUNNING`;
    const at = formatMs(requestedAt - trace.startedAt);
    return `${kind} of ${plain(agent)} at ${at} (${reason.kind}: ${plain(reason.message)}): ${end}${left}`;
  });
  const names = rows.map(({ title, depth }) => `${'  '.repeat(depth)}${plain(title)}`);
  const widest = Math.max(0, ...names.map((name) => name.length));
  const lanes = rows.map((row, index) => {
    const asked = row.operation.askedAt;
    const bar = barOf(row, asked === undefined ? undefined : shareOf(asked));
    return `${(names[index] ?? '').padEnd(widest)}  ${bar}  ${[row.outcome, ...row.notes].join(', ')}`;
  });
  const dropped = trace.dropped === 0 ? [] : [`(${String(trace.dropped)} older rows were dropped)`];
  return [...stops, ...lanes, ...dropped].join('\n');
}

function barOf({ from, length }: TimelineRow, asked: number | undefined): string {
  const first = Math.min(WIDTH - 1, Math.floor(from * WIDTH));
  const last = Math.max(first, Math.ceil((from + length) * WIDTH) - 1);
  const cells: string[] = Array.from({ length: WIDTH }, (_, index) => (index >= first && index <= last ? '=' : '.'));
  if (asked !== undefined) cells[Math.min(WIDTH - 1, Math.floor(asked * WIDTH))] = '|';
  return cells.join('');
}

/** One line, and nothing that a terminal obeys. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}
