import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fromWebSocket } from '../../../src/adapters/http-request/from-web-socket.ts';

class Socket extends EventTarget {
  readyState = 1;
  say(data: unknown) {
    this.dispatchEvent(Object.assign(new Event('message'), { data }));
  }
  close() {
    this.readyState = 3;
    this.dispatchEvent(new Event('close'));
  }
}

const readStop = (data: unknown) => data === 'stop' || (data === 'later' ? undefined : false);

describe('fromWebSocket', () => {
  it('refuses an option that it has not', () => {
    expect(() => fromWebSocket(new Socket(), { disconect: 'cancel' } as object)).toThrow(
      'options.disconect is no option',
    );
  });

  it('is cancelled by a message that is a stop, and by no other', () => {
    const socket = new Socket();
    const source = fromWebSocket(socket, { readStop });
    socket.say('hello');
    socket.say('later');
    expect(source.isCancelled).toBe(false);
    socket.say('stop');
    expect(source.reason?.kind).toBe('user');
  });

  it('S32 a disconnect alone stops nothing', () => {
    const socket = new Socket();
    const source = fromWebSocket(socket, { readStop });
    socket.close();
    socket.say('stop'); // nobody can say it any more
    expect(source.isCancelled).toBe(false);
    expect(fromWebSocket(socket).isCancelled).toBe(false);
  });

  it('a disconnect stops where it is configured to, also one that came first', () => {
    const socket = new Socket();
    const source = fromWebSocket(socket, { disconnect: 'cancel' });
    socket.close();
    expect(source.reason).toMatchObject({ kind: 'disconnect', message: 'The client disconnected' });
    expect(fromWebSocket(socket, { disconnect: 'cancel' }).reason?.kind).toBe('disconnect');
  });

  it('takes a socket that has only `on`, and its bare data', () => {
    const socket = Object.assign(new EventEmitter(), { readyState: 1 });
    const source = fromWebSocket(socket, { readStop });
    socket.emit('message', 'stop');
    expect(source.reason?.kind).toBe('user');
    expect(socket.eventNames()).toEqual([]);
  });

  it('leaves no listener after a release', () => {
    const socket = Object.assign(new EventEmitter(), { readyState: 1 });
    fromWebSocket(socket, { readStop, disconnect: 'cancel' }).release();
    expect(socket.eventNames()).toEqual([]);
  });

  it.each([
    [{}, {}, 'socket must be an EventTarget'],
    [new Socket(), { disconnect: 'stop' }, "disconnect must be one of 'ignore', 'cancel', got \"stop\""],
    [new Socket(), { readStop: 1 }, 'readStop must be a function, got 1'],
  ])('refuses %o with %o', (socket, options, message) => {
    expect(() => fromWebSocket(socket as never, options as never)).toThrow(message);
  });
});
