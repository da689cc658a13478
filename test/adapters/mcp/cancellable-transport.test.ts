import fc from 'fast-check';
import { expect, it } from 'vitest';

import { cancellableTransport } from '../../../src/adapters/mcp/cancellable-transport.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly requestId?: number; readonly reason?: string };
}

/** A transport with a private part, as the real ones have it, and what went over it. */
class Wire {
  readonly sent: Message[] = [];
  #isClosed = false;
  onmessage: ((message: Message) => void) | undefined;
  onclose: (() => void) | undefined;
  get isClosed(): boolean {
    return this.#isClosed;
  }
  send(message: Message, _options?: { signal?: AbortSignal }): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('closed'));
    this.sent.push(message);
    return Promise.resolve();
  }
  close(): Promise<void> {
    this.#isClosed = true;
    this.onclose?.();
    return Promise.resolve();
  }
}

const request = (id: number, method = 'tools/call'): Message => ({ id, method });
const cancels = ({ sent }: Wire): unknown[] =>
  sent.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How many listeners a signal has now. */
function counted(): { readonly signal: AbortSignal; readonly abort: () => void; readonly listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  return { signal, abort: () => { controller.abort('a secret'); }, listeners: () => listeners }; // prettier-ignore
}

it('a server hears of a request that was given up once, in neutral words, and of an answered one never', async () => {
  const wire = new Wire();
  const transport = cancellableTransport(wire);
  const heard: unknown[] = [];
  transport.onmessage = (message) => heard.push(message);
  const stop = counted();
  for (const id of [1, 2, 3]) await transport.send(request(id), { signal: stop.signal });
  wire.onmessage?.({ id: 2 });
  // What the server asks has numbers of its own.
  wire.onmessage?.({ id: 1, method: 'ping' });
  expect([heard, stop.listeners()]).toEqual([[{ id: 2 }, { id: 1, method: 'ping' }], 2]);
  stop.abort();
  await turn();
  expect(cancels(wire)).toEqual([1, 3].map((requestId) => ({ requestId, reason: 'Request cancelled' })));
});

it('a server hears nothing of a request that it has answered under its number as a text', async () => {
  const wire = new Wire();
  const transport = cancellableTransport(wire);
  transport.onmessage = () => undefined;
  const stop = counted();
  await transport.send(request(1), { signal: stop.signal });
  wire.onmessage?.({ id: '1' as never });
  expect(stop.listeners()).toBe(0);
  stop.abort();
  expect(cancels(wire)).toEqual([]);
});

it.each([
  [0, '0'],
  ['7', 7],
  [-1.5, '-1.5'],
])(
  'a number and its text are two requests: of an answer to %j the server is told of %j alone',
  async (answered, other) => {
    const wire = new Wire();
    const transport = cancellableTransport(wire);
    transport.onmessage = () => undefined;
    const stop = counted();
    for (const id of [answered, other]) await transport.send(request(id as number), { signal: stop.signal });
    wire.onmessage?.({ id: answered as number });
    stop.abort();
    expect(cancels(wire)).toMatchObject([{ requestId: other }]);
  },
);

it('a number that is used again belongs to the last request that has it', async () => {
  const wire = new Wire();
  const transport = cancellableTransport(wire);
  const [first, second] = [counted(), counted()];
  for (const { signal } of [first, second]) await transport.send(request(1), { signal });
  expect([first.listeners(), second.listeners()]).toEqual([0, 1]);
  first.abort();
  await turn();
  expect(cancels(wire)).toEqual([]);
});

it('the notification of a client that tells by itself is the one, without its words, and none for what is over', async () => {
  const wire = new Wire();
  const transport = cancellableTransport(wire);
  transport.onmessage = () => undefined;
  const stop = counted();
  await transport.send(request(1), { signal: stop.signal });
  await transport.send(request(2));
  const own = (requestId: number): Message => ({
    method: 'notifications/cancelled',
    params: { requestId, reason: 'a secret' },
  });
  for (const id of [1, 1, 2, 9]) await transport.send(own(id));
  stop.abort();
  await turn();
  expect(cancels(wire)).toEqual([1, 2].map((requestId) => ({ requestId, reason: 'Request cancelled' })));
});

it('initialize is not cancelled, a signal that has been aborted counts, and the end of a transport leaves no listener', async () => {
  const wire = new Wire();
  const transport = cancellableTransport(wire);
  const stop = counted();
  await transport.send(request(0, 'initialize'), { signal: stop.signal });
  expect(stop.listeners()).toBe(0);
  await transport.send(request(1), { signal: AbortSignal.abort() });
  await turn();
  expect(cancels(wire)).toEqual([{ requestId: 1, reason: 'Request cancelled' }]);
  await transport.send(request(2), { signal: stop.signal });
  let closed = 0;
  transport.onclose = () => (closed += 1);
  await transport.close();
  stop.abort();
  await turn();
  expect([cancels(wire).length, stop.listeners(), closed, wire.isClosed, transport.isClosed]).toEqual([
    1,
    0,
    1,
    true,
    true,
  ]);
  // What cannot be sent is not open.
  const late = counted();
  await expect(transport.send(request(3), { signal: late.signal })).rejects.toThrow('closed');
  expect(late.listeners()).toBe(0);
  late.abort();
  await turn();
  expect(cancels(wire)).toHaveLength(1);
});

it('the transport is the same to the client, which may set and take back what it hears', () => {
  const wire = new Wire();
  const transport = cancellableTransport(wire);
  const heard = (): void => undefined;
  transport.onmessage = heard;
  expect([transport.onmessage, transport instanceof Wire]).toEqual([heard, true]);
  transport.onmessage = undefined;
  expect([transport.onmessage, wire.onmessage]).toEqual([undefined, undefined]);
});

it.each([undefined, {}, 'stdio'])('what is no transport is refused: %j', (value) => {
  expect(() => cancellableTransport(value as never)).toThrow('transport must be a transport of an MCP client');
});

it('of any requests, answers and stops in any order each open request is cancelled exactly once', async () => {
  const step = fc.record({
    kind: fc.constantFrom('send', 'answer', 'stop', 'tell' as const),
    id: fc.integer({ min: 0, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const wire = new Wire();
      const transport = cancellableTransport(wire);
      transport.onmessage = () => undefined;
      const open = new Map<number, ReturnType<typeof counted>>();
      const wanted: number[] = [];
      const used = new Set<number>();
      for (const { kind, id } of steps) {
        if (kind === 'send' && !used.has(id)) {
          used.add(id);
          const stop = counted();
          open.set(id, stop);
          await transport.send(request(id), { signal: stop.signal });
        } else if (kind === 'answer') {
          open.delete(id);
          wire.onmessage?.({ id });
        } else if (kind === 'stop') {
          if (open.has(id)) wanted.push(id);
          open.get(id)?.abort();
          open.delete(id);
        } else if (kind === 'tell') {
          await transport.send({ method: 'notifications/cancelled', params: { requestId: id } });
          if (open.delete(id)) wanted.push(id);
        }
        await turn();
      }
      expect(cancels(wire).map((params) => (params as { requestId: number }).requestId)).toEqual(wanted);
      for (const stop of open.values()) expect(stop.listeners()).toBe(1);
      await transport.close();
      for (const stop of open.values()) expect(stop.listeners()).toBe(0);
    }),
  );
});
