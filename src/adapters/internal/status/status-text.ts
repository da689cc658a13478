/**
 * What a person reads of an agent that works, and of one that was stopped.
 *
 * @module
 */
import { printable, type StopReport } from '../../../core/inside.ts';
import type { ProgressView, StatusView } from './work-status.ts';

/** A time as somebody who waits reads it: whole seconds. */
export function elapsedText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60)} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** How long a stop took: short, so not in whole seconds. */
function stopTime(ms: number): string {
  return ms < 1000 ? `${String(Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function progressText({ label, done, total }: ProgressView): string {
  const name = printable(label);
  if (done === undefined) return name;
  return total === undefined ? `${name} ${String(done)}` : `${name} ${String(done)}/${String(total)}`;
}

const states = {
  idle: () => 'Waiting',
  running: (name) => `${name} is working`,
  interjecting: (name) => `${name} is reading your message`,
  cancelling: (name) => `Stopping ${name}`,
  killing: (name) => `Stopping ${name} by force`,
} as const satisfies Record<StatusView['state'], (name: string) => string>;

/**
 * One line without a line break.
 *
 * @param hint How it is stopped; shown while that would do something.
 */
export function statusText({ name, state, elapsedMs, progress }: StatusView, hint: string): string {
  const stops = state === 'cancelling' || state === 'killing';
  const parts = [states[state](printable(name)), elapsedText(elapsedMs)];
  // What is being stopped gets no further.
  if (!stops) parts.push(...progress.map(progressText), ...(hint === '' ? [] : [printable(hint)]));
  return parts.join(' · ');
}

/** What a stop did, on one line: how long it took, how much it was, and what still runs. */
export function stopText({ settledMs, operations, abandoned }: StopReport): string {
  const ended = operations.filter(({ outcome }) => outcome !== 'abandoned' && outcome !== 'detached').length;
  const what = ended === 1 ? '1 operation has ended.' : `${String(ended)} operations have ended.`;
  const left = abandoned.length === 0 ? '' : ` Still running: ${abandoned.map((name) => printable(name)).join(', ')}.`;
  return `Stopped in ${stopTime(settledMs)}. ${what}${left}`;
}
