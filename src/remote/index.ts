/**
 * The door `desist/remote`: stops that reach the process where the run is, over an engine that you have already.
 *
 * @module desist/remote
 */
export { openStopBus, type OpenStopBusOptions, type RemoteStopBus } from './open-stop-bus.ts';
export type { StopBusEvent } from './node/engine/health.ts';
export type { RunMember } from './node/members.ts';
export { memoryBackend, type MemoryBackendOptions } from './memory-backend.ts';
export type {
  StopBackend,
  StopBackendCaps,
  StopBackendEvents,
  StopConnection,
  StopConnectionLimits,
  StopPull,
  StopReading,
  StopSwap,
} from './backend.ts';
