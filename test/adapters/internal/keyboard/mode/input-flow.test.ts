import { once } from 'node:events';
import { Readable } from 'node:stream';

import { beforeEach, describe, expect, it } from 'vitest';

import { descriptorOf, InputFlow } from '../../../../../src/adapters/internal/keyboard/mode/input-flow.ts';
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

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let heard: string[];
beforeEach(() => {
  heard = [];
});

function flowOf(tty: FakeTty): InputFlow {
  return new InputFlow(tty, {
    data: (chunk) => heard.push(String(chunk)),
    lost: () => heard.push('lost'),
    left: () => heard.push('left'),
  });
}

describe('the flow of an input', () => {
  it('that is put down asks its terminal for nothing more', () => {
    const tty = new NodeTty().resume().unref();
    flowOf(tty).putDown();
    expect([tty.isFlowing, tty.isReffed, tty.stops]).toEqual([false, true, 1]);
    expect([tty._handle.reading, tty._readableState.reading]).toEqual([false, false]);
  });

  it('that is put down is as if nobody had touched it: who listens next starts it', async () => {
    const stream = new Readable({ read: () => undefined });
    const flow = flowOf(stream as unknown as FakeTty);
    flow.listen(true);
    flow.takeUp();
    flow.listen(false);
    flow.putDown();
    const next = once(stream, 'data');
    stream.push('yes');
    expect(String(await next)).toBe('yes');
    stream.destroy();
  });

  it('that its reader has left without a pause is stopped too', () => {
    const tty = new NodeTty();
    Object.defineProperty(tty, 'readableFlowing', { value: null });
    flowOf(tty).rest();
    expect(tty.stops).toBe(1);
  });

  it('is read by who waits for readable beside us, and not by a listener that readline left behind', () => {
    const tty = new NodeTty();
    const flow = flowOf(tty);
    tty.on('data', () => undefined);
    expect(flow.isRead).toBe(false);
    tty.on('readable', () => undefined);
    expect(flow.isRead).toBe(true);
  });

  it('that a borrower has put down is read for who waits for readable, and for nobody else', () => {
    const asked: number[] = [];
    const tty = Object.assign(new NodeTty(), { read: (size: number) => asked.push(size) });
    flowOf(tty).returned();
    expect([asked, tty.stops]).toEqual([[], 1]);
    tty.on('readable', () => undefined);
    flowOf(tty).returned();
    expect([asked, tty.stops]).toEqual([[0], 1]);
  });

  it('that leads nowhere is stopped, once; one that somebody reads is left alone', () => {
    const tty = new NodeTty();
    flowOf(tty).rest();
    flowOf(tty).rest();
    expect(tty.stops).toBe(1);
    const read = new NodeTty().resume();
    flowOf(read).rest();
    expect([read.stops, read._handle.reading]).toEqual([0, true]);
  });

  it('of what is no stream of Node\u2019s is paused, and no more', () => {
    const tty = new FakeTty().resume().unref();
    flowOf(tty).putDown();
    expect([tty.isFlowing, tty.isReffed]).toEqual([false, true]);
  });

  it.each(['end', 'error', 'close'])('is lost at %s, while its end is watched', (event) => {
    const tty = new FakeTty();
    const flow = flowOf(tty);
    flow.watchEnd(true);
    flow.watchEnd(true);
    tty.emit(event);
    flow.watchEnd(false);
    expect([heard, tty.attached()]).toEqual([['lost'], 0]);
  });

  it('is left by who pauses it, and by who takes off his listener in line mode; not by who does so in ours', async () => {
    const tty = new FakeTty().resume().setRawMode(true);
    const flow = flowOf(tty);
    flow.listen(true);
    const read = (): void => undefined;
    tty.on('readable', read).removeListener('readable', read);
    await tick();
    expect(heard).toEqual([]);
    tty.on('readable', read).setRawMode(false).removeListener('readable', read);
    await tick();
    expect(heard).toEqual(['left']);
    tty.pause();
    await tick();
    expect(heard).toEqual(['left', 'left']);
    tty.resume().pause();
    flow.listen(false); // nobody wants to know any more
    await tick();
    expect(heard).toHaveLength(2);
  });

  it('is taken up without keeping the process alive', () => {
    const tty = new FakeTty();
    flowOf(tty).takeUp();
    expect([tty.isFlowing, tty.isReffed]).toEqual([true, false]);
  });

  it('has the file descriptor that the stream says, or its handle', () => {
    expect(descriptorOf(new NodeTty())).toBe(17);
    expect(descriptorOf(Object.assign(new NodeTty(), { fd: 0 }))).toBe(0);
    expect(descriptorOf(new FakeTty())).toBeUndefined();
  });
});
