/**
 * `desist/sessions`: stops by session id, early ones included, and the drain of a server.
 *
 * @module
 */
export type { Session } from './session.ts';
export {
  SessionRegistry,
  type DrainReport,
  type RemoteReceipt,
  type SessionCancelOptions,
  type SessionRegistryOptions,
} from './session-registry.ts';
export { inProcessStopBus } from './in-process-stop-bus.ts';
export type { StopBus, StopRequest, StopStatus } from './stop-bus.ts';
