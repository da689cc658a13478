/**
 * A proxy on loopback between a client and an engine, whose connections can be cut, go silent, or be kept out.
 *
 * @module
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A proxy that misbehaves when it is told to. */
export interface LoopbackProxy {
  readonly port: number;
  /** Ends every connection at once. */
  cut(): void;
  /** Nothing goes through the connections that there are, and none is ended: they are half open. New ones work. */
  silence(): void;
  /** Nothing goes through any connection, until it is healed; what was sent meanwhile arrives late. */
  part(): void;
  heal(): void;
  close(): Promise<void>;
}

/** What goes through it comes so much later, in the same order. */
function delayed(ms: number): Transform {
  return new Transform({
    highWaterMark: 1 << 24,
    transform(part: unknown, _, done) {
      setTimeout(() => this.push(part), ms);
      done();
    },
    flush(done) {
      setTimeout(done, ms);
    },
  });
}

/**
 * Starts a proxy in front of a port.
 *
 * @param port Its own; any that is free by default.
 * @param delayMs Milliseconds that each direction takes.
 */
export async function startProxy(target: number, port = 0, delayMs = 0): Promise<LoopbackProxy> {
  const sockets = new Set<Socket>();
  let isParted = false;
  const forget = (socket: Socket): void => {
    sockets.delete(socket);
  };
  const server = createServer((client) => {
    const engine = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        forget(socket);
        other.destroy();
      });
      if (delayMs > 0) socket.pipe(delayed(delayMs)).pipe(other);
      else socket.pipe(other);
      if (isParted) socket.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const each = (act: (socket: Socket) => unknown): void => {
    for (const socket of [...sockets]) act(socket);
  };
  const cut = (): void => {
    each((socket) => socket.destroy());
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    silence: () => {
      each((socket) => socket.unpipe().pause());
    },
    part: () => {
      isParted = true;
      each((socket) => socket.pause());
    },
    heal: () => {
      isParted = false;
      each((socket) => socket.resume());
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
