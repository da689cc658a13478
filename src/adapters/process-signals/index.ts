/**
 * The door `desist/process-signals`: what a server does between the first SIGTERM and its end.
 *
 * @module
 */
export { drainOnSignals } from './drain-on-signals.ts';
export type { DrainEnd, DrainHandle, DrainOnSignalsOptions, DrainTarget } from './drain-on-signals.ts';
export type { DrainableAgent } from './drain-agent.ts';
export type { DrainSignal } from './process-drains.ts';
