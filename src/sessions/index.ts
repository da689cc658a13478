/**
 * `desist/sessions`: stops by session id, early ones included, and the drain of a server.
 *
 * @module desist/sessions
 */
export type { Session, SessionOpenOptions } from './session.ts';
export { SessionRegistry, type SessionRegistryOptions } from './session-registry.ts';
export type { DrainReport, GroupReceipt, RemoteReceipt, SessionCancelOptions } from './remote-receipt.ts';
export type { SessionStatus } from './session-status.ts';
export type { Hosting, StopBus, StopProgress, StopStatus } from './stop-bus.ts';
