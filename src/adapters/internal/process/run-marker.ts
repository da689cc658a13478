/**
 * The marker in the environment by which what a run has started is recognised, wherever it went.
 *
 * Prior art: Jenkins' `BUILD_ID`.
 *
 * @module
 */
import { nodeModule } from '../node-module.ts';
import { markersIn, markerVariable } from './process-snapshot.ts';

/** Names a new run. */
export function newMarker(): string {
  return nodeModule('node:crypto').randomBytes(8).toString('hex');
}

/**
 * Names a thread of this process: all that is started from it carries the name, so that it can be found when the thread
 * was terminated and could stop nothing itself.
 *
 * @param threadId Of the thread; numbers are given once in the life of a process.
 */
export function threadMarker(threadId: number): string {
  return `thread-${String(process.pid)}-${String(threadId)}`;
}

/**
 * The value of the marker's variable in a new run.
 *
 * @param marker Names the run; runs started inside another run keep its name too.
 * @param parent Our own environment.
 */
export function lineageOf(marker: string, parent: Readonly<Record<string, string | undefined>>): string {
  const { isMainThread, threadId } = nodeModule('node:worker_threads');
  const outer = parent[markerVariable];
  const names = outer === undefined || outer === '' ? [] : [outer];
  if (!isMainThread) names.push(threadMarker(threadId));
  return [...names, marker].join(',');
}

/**
 * The marker in an environment that ours does not have.
 *
 * @param environment What a process carries, as NUL-separated `NAME=value`, or what it was started with.
 * @param parent Our own.
 */
export function ownMarker(
  environment: string | Readonly<Record<string, string | undefined>> | undefined,
  parent: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const value =
    typeof environment === 'string' ? markersIn(environment).join(',') : (environment?.[markerVariable] ?? '');
  return value === '' || value === parent[markerVariable] ? undefined : value.split(',').at(-1);
}
