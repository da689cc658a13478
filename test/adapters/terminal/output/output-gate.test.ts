import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';

import {
  createOutputGate,
  type OutputGate,
  type OutputGateOptions,
} from '../../../../src/adapters/terminal/output/output-gate.ts';
import { CancellationTokenSource } from '../../../../src/index.ts';
import { FakeScreen } from './fake-screen.ts';

let screen: FakeScreen;
let gate: OutputGate;

function open(size: ConstructorParameters<typeof FakeScreen>[0] = {}, options: OutputGateOptions = {}): OutputGate {
  screen = new FakeScreen(size);
  gate = createOutputGate(screen, options);
  return gate;
}

afterEach(() => {
  gate.close();
  gate.close();
  expect(screen.attached()).toBe(0);
});

describe('the hold', () => {
  it('keeps output until everybody has released, and passes on what the program says itself', () => {
    const output = open().stream();
    output.write('a');
    const [first, second] = [gate.hold(), gate.hold()];
    output.write('b');
    gate.writeLine('receipt');
    first.release();
    first.release();
    expect([gate.isHeld, screen.text()]).toEqual([true, 'a\r\nreceipt\r\n']);
    second.release();
    expect([gate.isHeld, screen.text()]).toEqual([false, 'a\r\nreceipt\r\nb']);
  });

  it('makes writers wait beyond a mebibyte and goes on when it is released', async () => {
    const output = open().stream();
    const hold = gate.hold();
    const chunk = 'x'.repeat(16_000);
    let accepted = 0;
    while (output.write(chunk)) accepted += chunk.length;
    expect(accepted).toBeGreaterThan(1_000_000);
    expect(accepted).toBeLessThan(1_200_000);
    hold.release();
    await new Promise((resolve) => output.once('drain', resolve));
    while (screen.text().length < accepted + chunk.length) await new Promise(setImmediate);
    expect(screen.text().length).toBe(accepted + chunk.length);
  });

  it('passes on what was held in small parts, the event loop turning in between', async () => {
    const output = open({}, { holdLimit: 20_000_000 }).stream();
    const hold = gate.hold();
    const line = `${'word \x1b[31m日本\x1b[0m '.repeat(10)}\n`;
    for (let at = 0; at < 2000; at++) output.write(line);
    hold.release();
    let largest = 0;
    for (let before = 0; before < line.length * 2000;) {
      const after = screen.text().length;
      largest = Math.max(largest, after - before);
      before = after;
      await new Promise(setImmediate);
    }
    expect(largest).toBeLessThan(20_000);
    expect(screen.text()).toBe(line.repeat(2000));
  });

  it('waits for a slow screen', async () => {
    const output = open().stream();
    screen.goesOn = false;
    output.write('a');
    output.write('b');
    expect(screen.text()).toBe('a');
    screen.goesOn = true;
    screen.emit('drain');
    expect(screen.text()).toBe('ab');
    screen.emit('drain');
    expect(output.write('c')).toBe(true);
    expect(screen.text()).toBe('abc');
    await Promise.resolve();
  });
});

describe('the mute', () => {
  it('shows not one byte of a turn from its cancel on, held or new', () => {
    open();
    const turn = new CancellationTokenSource();
    const output = gate.stream(turn.token);
    output.write('shown');
    const hold = gate.hold();
    output.write('held');
    turn.cancel();
    output.write('new');
    hold.release();
    expect(screen.text()).toBe('shown');
    gate.write('> ');
    expect(screen.text()).toBe('shown> ');
  });

  it('takes the colours of the turn with it, and half a sequence', () => {
    open();
    const turn = new CancellationTokenSource();
    gate.stream(turn.token).write('\x1b[31mred\x1b[3');
    turn.cancel();
    gate.writeLine('Cancelled.');
    gate.stream().write('next');
    expect(screen.text()).toBe('\x1b[31mred\x1b[0m\r\nCancelled.\r\nnext');
  });

  it('lets nobody wait for a turn that is muted', async () => {
    open({}, { holdLimit: 0 });
    const turn = new CancellationTokenSource();
    const output = gate.stream(turn.token);
    gate.hold();
    const written = new Promise<unknown>((resolve) => output.write('held', resolve));
    turn.cancel();
    expect(await written).toBeFalsy();
  });

  it.each([10, 100_000])(
    'holds %i characters and what the stream buffers, and has its writers wait then',
    (holdLimit) => {
      open({}, { holdLimit });
      const output = gate.stream();
      gate.hold();
      let written = 10;
      while (output.write('x'.repeat(10))) written += 10;
      expect(written).toBeGreaterThan(holdLimit);
      expect(written).toBeLessThanOrEqual(holdLimit + output.writableHighWaterMark + 10);
    },
  );

  it('writes nothing more to a terminal that has gone, and lets nobody wait for it', async () => {
    open({}, { holdLimit: 0 });
    const output = gate.stream();
    const footer = gate.openFooter(() => ({ rows: ['working'] }));
    screen.goesOn = false;
    const waits = new Promise((resolve) => {
      output.write('x'.repeat(10));
      output.write('y', resolve);
    });
    screen.written.length = 0;
    screen.emit('error', new Error('write EIO'));
    await waits;
    footer.update();
    gate.writeLine('Cancelled.');
    output.write('late');
    expect(screen.written).toEqual([]);
    footer.release();
  });

  it('hears an AbortSignal, and leaves other turns alone', () => {
    open();
    const aborted = AbortSignal.abort();
    gate.stream(aborted).write('no');
    gate.stream().write('yes');
    expect(screen.text()).toBe('yes');
  });

  it('S29 shows 0 bytes after each of 1,000 cancels in the middle of a stream', () => {
    open();
    let late = 0;
    for (let round = 0; round < 1000; round++) {
      const turn = new CancellationTokenSource();
      const output = gate.stream(turn.token);
      const text = '日本\x1b[31mword\x1b[0m\n'.repeat(3);
      const cut = round % text.length;
      const hold = round % 3 === 0 ? gate.hold() : undefined;
      output.write(text.slice(0, cut));
      turn.cancel();
      const before = screen.text().length;
      output.write(text.slice(cut));
      output.end('!');
      hold?.release();
      late += screen.text().length - before;
      screen.written.length = 0;
    }
    expect(late).toBe(0);
  });
});

describe('without a terminal', () => {
  it('passes bytes on as they are and adds none', () => {
    open({ isTTY: false });
    expect(gate.degraded).toBe(true);
    const bytes = Buffer.from([0xff, 0x1b, 0x5b]);
    const output = gate.stream();
    const hold = gate.hold();
    const footer = gate.openFooter(() => ({ rows: ['status'] }));
    output.write(bytes);
    footer.update();
    footer.release();
    expect(gate.isHeld).toBe(false);
    hold.release();
    gate.writeLine('a line');
    gate.writeLine('another');
    gate.write('text');
    expect(screen.written).toEqual([bytes, '\na line\n', 'another\n', 'text']);
  });

  it('mutes a cancelled turn and waits for a slow pipe all the same', () => {
    open({ isTTY: false });
    const turn = new CancellationTokenSource();
    const output = gate.stream(turn.token);
    screen.goesOn = false;
    output.write('a');
    output.write('b');
    expect(screen.text()).toBe('a');
    screen.goesOn = true;
    screen.emit('drain');
    expect(screen.text()).toBe('ab');
    turn.cancel();
    output.write('c');
    expect(screen.text()).toBe('ab');
  });
});

describe('bad input', () => {
  it('names what it refuses', () => {
    open();
    expect(() => createOutputGate({} as never)).toThrow(/output.write must be a function, got undefined/);
    expect(() => createOutputGate(new PassThrough(), { holdLimit: -1 })).toThrow(RangeError);
    expect(() => createOutputGate(new PassThrough(), { holdLimit: '1' as unknown as number })).toThrow(/got "1"/);
    expect(() => {
      gate.write(7 as unknown as string);
    }).toThrow(/text must be a string, got 7/);
    expect(() => gate.stream({} as never)).toThrow(TypeError);
    expect(() => gate.openFooter(undefined as never)).toThrow(/render must be a function, got undefined/);
  });
});

it('an output gate refuses an option that it does not know', () => {
  open();
  expect(() => createOutputGate(screen, { holdLimt: 1 } as never)).toThrow('options.holdLimt is no option');
});

describe('a gate that is closed', () => {
  it.each([true, false])('lets nobody wait for a screen that is full, terminal: %s', async (isTTY) => {
    const output = open({ isTTY }).stream();
    screen.goesOn = false;
    const written = ['a', 'b', 'c'].map((text) => new Promise((resolve) => output.write(text, resolve)));
    gate.close();
    await Promise.all(written);
    expect(screen.text()).toBe('abc');
  });
});

describe('the cursor after somebody else has written', () => {
  it('stands where it is said to, so that a line begins no second row', () => {
    open();
    gate.write('> ');
    gate.atNewLine();
    gate.writeLine('next');
    const footer = gate.openFooter(() => ({ rows: ['x'] }));
    expect(screen.text()).toBe('> next\r\n\x1b[Jx\r\x1b[1C');
    footer.release();
  });
});
