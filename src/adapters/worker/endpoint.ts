/**
 * One way to talk to the other side, whatever it is: a message port, or a process at the other end of an IPC channel.
 *
 * @module
 */
import { type CancelReason, reasonFromJSON, reasonToJSON, show } from '../../core/inside.ts';

/** What of a `MessagePort` is used: Node's or the web's. */
export interface PortLike {
  postMessage(message: unknown): void;
  addEventListener(type: 'message' | 'close', listener: (event: { readonly data?: unknown }) => void): void;
  removeEventListener(type: 'message' | 'close', listener: (event: { readonly data?: unknown }) => void): void;
  start?(): void;
  close(): void;
  /** In Node only: a token keeps nobody alive. */
  unref?(): void;
}

/**
 * A child process with an IPC channel, or, inside one, `process` itself.
 *
 * @since 0.1.0
 */
export interface IpcProcess {
  readonly connected?: boolean | undefined;
  /** As Node declares it, with more parameters than are used here. */
  send?: ((message: never, ...more: never[]) => unknown) | undefined;
  /** Listens beside the program's own listeners. */
  on(event: 'message' | 'disconnect', listener: (message?: unknown) => void): unknown;
  /** Stops listening. */
  off(event: 'message' | 'disconnect', listener: (message?: unknown) => void): unknown;
}

/** What one side says to the other. */
export type Message =
  /** "I am here": whoever is cancelled already says so again. */
  | { readonly kind: 'ready' }
  /** "Look at the flag"; where there is none in common, the reason comes along. */
  | { readonly kind: 'cancelled'; readonly reason: CancelReason };

/** The other side. */
export interface Endpoint {
  /** Never throws: who is gone needs to be told nothing. */
  send(message: Message): void;
  close(): void;
}

/** Who listens at an endpoint. */
export interface EndpointHandlers {
  onMessage(message: Message): void;
  /** The other side is gone. */
  onGone(): void;
}

/** The key by which our messages are told from the program's own on a channel that both use. */
const key = 'desist.token';

/** Whether a value is a port of either kind. */
export function isPort(value: unknown): value is PortLike {
  const shape = value as Partial<PortLike> | null | undefined;
  return typeof shape?.postMessage === 'function' && typeof shape.addEventListener === 'function';
}

/** Refuses what is no process with an IPC channel. */
export function requireIpc(value: unknown): IpcProcess {
  const shape = value as Partial<IpcProcess> | null | undefined;
  if (typeof shape?.send === 'function' && typeof shape.on === 'function') return value as IpcProcess;
  throw new TypeError(`a process with an IPC channel is needed, got ${show(value)}`);
}

/** Opens a port. */
export function overPort(port: PortLike, handlers: EndpointHandlers): Endpoint {
  const onMessage = (event: { readonly data?: unknown }): void => receive(event.data, handlers);
  const onClose = (): void => handlers.onGone();
  port.addEventListener('message', onMessage);
  port.addEventListener('close', onClose);
  port.start?.();
  port.unref?.();
  return {
    send: (message) => port.postMessage(pack(message)),
    close: () => {
      port.removeEventListener('message', onMessage);
      port.removeEventListener('close', onClose);
      port.close();
    },
  };
}

/** Opens an IPC channel beside whatever the program itself says over it. */
export function overIpc(ipc: IpcProcess, handlers: EndpointHandlers): Endpoint {
  const onMessage = (message?: unknown): void => receive(message, handlers);
  const onGone = (): void => handlers.onGone();
  ipc.on('message', onMessage);
  ipc.on('disconnect', onGone);
  return {
    send: (message) => {
      if (ipc.connected !== true) return;
      // With a callback a channel that breaks meanwhile is no `error` event on somebody's process.
      const send = ipc.send as ((message: unknown, done: (error: unknown) => void) => unknown) | undefined;
      send?.call(ipc, pack(message), () => undefined);
    },
    close: () => {
      ipc.off('message', onMessage);
      ipc.off('disconnect', onGone);
    },
  };
}

function pack(message: Message): unknown {
  return { [key]: message.kind === 'ready' ? 'ready' : reasonToJSON(message.reason) };
}

/** Anybody may write into a channel: what is not ours, or makes no sense, is not heard. */
function receive(data: unknown, handlers: EndpointHandlers): void {
  const body = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[key] : undefined;
  if (body === undefined) return;
  if (body === 'ready') {
    handlers.onMessage({ kind: 'ready' });
    return;
  }
  let reason: CancelReason;
  try {
    reason = reasonFromJSON(body);
  } catch {
    return;
  }
  handlers.onMessage({ kind: 'cancelled', reason });
}
