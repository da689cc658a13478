import { EventEmitter } from 'node:events';

import { describe, expect, it } from 'vitest';

import { isPort, overIpc, overPort, requireIpc, type Message } from '../../../src/adapters/worker/endpoint.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';

function handlers() {
  const heard: (Message | 'gone')[] = [];
  return {
    heard,
    onMessage: (message: Message) => void heard.push(message),
    onGone: () => void heard.push('gone'),
  };
}

const reason = createReason({ kind: 'user', message: 'enough', at: 5 });

class FakeIpc extends EventEmitter {
  connected = true;
  readonly sent: unknown[] = [];
  send(message: unknown, done: (error: unknown) => void): boolean {
    this.sent.push(message);
    done(new Error('EPIPE'));
    return true;
  }
}

describe('a port', () => {
  it('carries both messages, and tells when the other end is gone', async () => {
    const { port1, port2 } = new MessageChannel();
    expect([isPort(port1), isPort({}), isPort(null)]).toEqual([true, false, false]);
    const here = handlers();
    const there = handlers();
    const a = overPort(port1, here);
    const b = overPort(port2, there);
    a.send({ kind: 'ready' });
    a.send({ kind: 'cancelled', reason });
    await expect.poll(() => there.heard.length).toBe(2);
    expect(there.heard).toEqual([{ kind: 'ready' }, { kind: 'cancelled', reason }]);
    b.close();
    await expect.poll(() => here.heard).toEqual(['gone']);
    a.close();
    expect(() => a.send({ kind: 'ready' })).not.toThrow();
  });

  it('has nothing of ours on it once it is closed, and nobody hears what was on its way', () => {
    const { port1 } = new MessageChannel();
    const here = handlers();
    const end = overPort(port1, here);
    end.close();
    const late = { data: { 'desist.token': 'ready' } };
    port1.dispatchEvent(new MessageEvent('message', late));
    port1.dispatchEvent(new Event('close'));
    expect(here.heard).toEqual([]);
  });
});

describe('an IPC channel', () => {
  it('is shared with what the program says itself, and hears no nonsense', () => {
    const ipc = new FakeIpc();
    const here = handlers();
    const end = overIpc(ipc, here);
    for (const message of ['hello', null, { other: 1 }, { 'desist.token': 7 }, { 'desist.token': {} }]) {
      ipc.emit('message', message);
    }
    expect(here.heard).toEqual([]);
    end.send({ kind: 'cancelled', reason });
    ipc.emit('message', ipc.sent[0]);
    expect(here.heard).toEqual([{ kind: 'cancelled', reason }]);
    ipc.emit('disconnect');
    expect(here.heard).toHaveLength(2);
    end.close();
    expect(ipc.eventNames()).toEqual([]);
  });

  it('sends nothing once it is closed', () => {
    const ipc = new FakeIpc();
    ipc.connected = false;
    overIpc(ipc, handlers()).send({ kind: 'ready' });
    expect(ipc.sent).toEqual([]);
  });

  it('is asked for at the call', () => {
    expect(() => requireIpc({ on: () => 1 })).toThrow(
      new TypeError('a process with an IPC channel is needed, got an instance of Object'),
    );
  });
});
