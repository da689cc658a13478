import { expect, it } from 'vitest';

import { descriptorOf, putDown, stopReading } from '../../../../../src/adapters/internal/keyboard/mode/input-flow.ts';
import { FakeTty } from '../fake-tty.ts';

/** What Node's stream of a terminal is inside. */
class NodeTty extends FakeTty {
  stops = 0;
  readonly _readableState = { reading: true };
  readonly _handle = { fd: 17, reading: true, readStop: () => (this.stops += 1) };
  get readableFlowing(): boolean {
    return this.isFlowing;
  }
}

it('puts a stream down so that it asks its terminal for nothing more', () => {
  const tty = new NodeTty().resume().unref();
  putDown(tty);
  expect([tty.isFlowing, tty.isReffed, tty.stops]).toEqual([false, true, 1]);
  expect([tty._handle.reading, tty._readableState.reading]).toEqual([false, false]);
});

it('stops what reads and flows nowhere, once, and leaves alone what somebody reads', () => {
  const tty = new NodeTty();
  stopReading(tty);
  stopReading(tty);
  expect(tty.stops).toBe(1);
  const read = new NodeTty().resume();
  stopReading(read);
  expect([read.stops, read._handle.reading]).toEqual([0, true]);
});

it('pauses a stream that is none of Node\u2019s, and no more', () => {
  const tty = new FakeTty().resume().unref();
  putDown(tty);
  expect([tty.isFlowing, tty.isReffed]).toEqual([false, true]);
});

it('finds the file descriptor where the stream says it, or where its handle does', () => {
  expect(descriptorOf(new NodeTty())).toBe(17);
  expect(descriptorOf(Object.assign(new NodeTty(), { fd: 0 }))).toBe(0);
  expect(descriptorOf(new FakeTty())).toBeUndefined();
});
