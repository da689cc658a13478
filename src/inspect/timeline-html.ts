/**
 * A trace as one page that needs nothing else: no script, no font, no request.
 *
 * Invariant: every text of a trace is escaped here, and no text of a trace becomes a class, a style or an address.
 *
 * @module
 */
import { formatMs, requireTrace, timelineRows, titleOf, type TimelineRow } from './timeline-rows.ts';
import { timelineStyle } from './timeline-style.ts';
import { isSurvivor, type Trace, type TraceOperation, type TraceStop } from './trace.ts';

/**
 * Draws a trace as one self-contained page: a lane per operation, a line where the stop came, what still runs in red. It
 * is a table, for the keyboard and for screen readers.
 *
 * @checkpoint never
 * @param trace From `recording.trace()`.
 * @returns The text of an HTML file.
 * @throws TypeError – not a trace.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { record, timelineHtml } from 'desist/inspect'
 *
 * const agent = new InterruptController({ name: '<main>' })
 * using recording = record(agent)
 * await agent.runTurn(() => 'done')
 * timelineHtml(recording.trace()).includes('&lt;main&gt;') // => true
 * ```
 * @since 0.1.0
 */
export function timelineHtml(trace: Trace): string {
  requireTrace(trace);
  const { rows, totalMs, shareOf } = timelineRows(trace);
  const lines = trace.stops.map(({ requestedAt }) => mark(shareOf(requestedAt))).join('');
  const nameOf = new Map(trace.operations.map((operation) => [operation.id, titleOf(operation)]));
  const stops = trace.stops.map((stop) => stopItem(stop, trace.startedAt, nameOf)).join('\n');
  const dropped = trace.dropped === 0 ? '' : `<p>${String(trace.dropped)} older rows were dropped.</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Timeline of a stop</title>
<style>${timelineStyle}</style>
</head>
<body>
<main>
<h1>Timeline</h1>
<h2>Stops</h2>
${stops === '' ? '<p>Nothing was stopped.</p>' : `<ol>\n${stops}\n</ol>`}
<h2>Operations</h2>
<table>
<caption>${String(rows.length)} operations in ${formatMs(totalMs)}; a vertical line is a stop.</caption>
<thead><tr><th scope="col">Operation</th><th scope="col">Agent</th><th scope="col">Outcome</th><th scope="col" class="lane">When</th><th scope="col">Notes</th></tr></thead>
<tbody>
${rows.map((row) => lane(row, lines)).join('\n')}
</tbody>
</table>
${dropped}
</main>
</body>
</html>
`;
}

function lane(row: TimelineRow, lines: string): string {
  const { operation, title, depth, from, length, outcome, notes } = row;
  const bar = `<div class="bar" style="left:${percent(from)};width:${percent(length)}"></div>`;
  return `<tr tabindex="0" class="${classOf(operation)}"><th scope="row" style="padding-left:${String(0.5 + depth)}rem">${escape(title)}</th><td>${escape(operation.agent)}</td><td>${escape(outcome)}</td><td class="lane"><div class="track" aria-hidden="true">${bar}${lines}</div></td><td>${escape(notes.join(', '))}</td></tr>`;
}

function stopItem(stop: TraceStop, start: number, nameOf: ReadonlyMap<string, string>): string {
  const { kind, agent, reason, requestedAt, asked, observedAt, settledAt, survivors } = stop;
  const names = (ids: readonly string[]): string => ids.map((id) => nameOf.get(id) ?? 'a dropped row').join(', ');
  const said = [
    `${kind} of ${agent} at ${formatMs(requestedAt - start)}: ${reason.message} (${reason.kind}).`,
    asked.length === 0 ? 'Nothing was running.' : `Asked: ${names(asked)}.`,
    ...(observedAt === undefined ? [] : [`First reaction after ${formatMs(observedAt - requestedAt)}.`]),
    settledAt === undefined ? 'Not settled.' : `Settled after ${formatMs(settledAt - requestedAt)}.`,
  ].join(' ');
  const left = survivors.length === 0 ? '' : ` <span class="alarm">Still running: ${escape(names(survivors))}.</span>`;
  return `<li>${escape(said)}${left}</li>`;
}

const colours = new Set<string>(['completed', 'cancelled', 'failed', 'detached']);

function classOf(operation: TraceOperation): string {
  if (isSurvivor(operation)) return 'survivor';
  const outcome = operation.late?.outcome ?? operation.outcome;
  return colours.has(outcome) ? outcome : 'other';
}

function mark(share: number): string {
  return `<div class="stop" style="left:${percent(share)}"></div>`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Marks that turn the direction of text could make a row say something else. */
function escape(text: string): string {
  return text
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replace(/[&<>"']/g, (each) => entities[each] ?? '');
}
