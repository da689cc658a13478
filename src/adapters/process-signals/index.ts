/**
 * The door `desist/process-signals`: what a server does between the first SIGTERM and its end.
 *
 * @module desist/process-signals
 */
export { drainOnSignals } from './drain-on-signals.ts';
export type { DrainHandle, DrainOnSignalsOptions } from './drain-on-signals.ts';
