/**
 * The door `desist/remote`: stops that reach the process where the run is, over an engine that you have already.
 *
 * @module desist/remote
 */
export { openStopBus, type OpenStopBusOptions, type RemoteStopBus } from './open-stop-bus.ts';
export type { RunMember } from './node/members.ts';
export { memoryBackend, type MemoryBackendOptions } from './memory-backend.ts';
export type { StopBackend, StopConnection } from './backend.ts';
