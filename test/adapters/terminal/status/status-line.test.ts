import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createOutputGate, type OutputGate } from '../../../../src/adapters/terminal/output/output-gate.ts';
import {
  openStatusLine,
  type StatusLine,
  type StatusLineOptions,
} from '../../../../src/adapters/terminal/status/status-line.ts';
import { delay, InterruptController } from '../../../../src/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { emulate, feed, textOf } from '../output/emulated-screen.ts';
import { FakeScreen } from '../output/fake-screen.ts';

let clock: VirtualClock;
let agent: InterruptController;
let screen: FakeScreen;
let gate: OutputGate;
let status: StatusLine;

function open(
  options: StatusLineOptions = {},
  size: ConstructorParameters<typeof FakeScreen>[0] = { columns: 80 },
): void {
  screen = new FakeScreen(size);
  gate = createOutputGate(screen);
  status = openStatusLine(gate, agent, { clock, ...options });
}

async function shown(): Promise<string> {
  const terminal = emulate(screen.columns, screen.rows);
  await feed(terminal, screen.text());
  return textOf(terminal).trim();
}

beforeEach(() => {
  clock = new VirtualClock();
  agent = new InterruptController({ name: 'Ada', clock });
});

afterEach(() => {
  status.release();
  status.release();
  gate.close();
  expect([screen.attached(), clock.pending]).toEqual([0, 0]);
});

describe('openStatusLine', () => {
  it('keeps its row below the output while a turn runs, and leaves nothing of it', async () => {
    open();
    const turn = agent.runTurn(async ({ token }) => {
      gate.stream(token).write('Once upon\na time');
      await delay(token, 2500);
    });
    await clock.advance(2100);
    expect(await shown()).toBe('Once upon\na time\nAda is working · 2 s · esc to interrupt');
    await clock.advance(1000);
    await turn;
    expect([await shown(), status.text]).toEqual(['Once upon\na time', '']);
  });

  it('acknowledges a stop before any work hears of it, and says afterwards what still runs', async () => {
    open();
    const seen: string[] = [];
    const turn = agent.runTurn(async ({ token, tools }) => {
      token.onCancelled(() => seen.push(screen.text()));
      await tools([{ id: '1', name: 'deaf', input: {} }], () => new Promise(() => undefined));
    });
    await clock.advance(3000);
    agent.cancel();
    expect(seen[0]).toContain('Cancelled.\r\n');
    await clock.advance(0);
    expect(await shown()).toBe('Cancelled.\nStopping Ada · 3 s');
    await clock.advance(1000);
    await turn;
    expect(await shown()).toBe('Cancelled.\nStopped in 1.0 s. 0 operations have ended. Still running: deaf.');
  });

  it('says it in other words, or does not', async () => {
    open({
      hint: 'ctrl+c stops',
      cancelledLine: 'Ok.',
      receipt: ({ operations }) => `${String(operations.length)} left`,
    });
    const run = async (): Promise<void> => {
      const turn = agent.runTurn(({ token }) => delay(token, 5000));
      expect(status.text).toContain('ctrl+c stops');
      agent.cancel();
      await clock.advance(1000);
      await turn;
    };
    await run();
    expect(await shown()).toBe('Ok.\n0 left');
    status.release();
    gate.close();
    open({ hint: '', cancelledLine: '', receipt: false });
    const turn = agent.runTurn(({ token }) => delay(token, 5000));
    expect(status.text).toBe('Ada is working · 0 s');
    agent.cancel();
    await clock.advance(1000);
    await turn;
    expect(await shown()).toBe('');
  });

  it('cuts its row to the screen, wide characters included, how it is stopped last of all, and again when that is made narrower', async () => {
    agent = new InterruptController({ name: '日本語日本語', clock });
    open({}, { columns: 30 });
    const turn = agent.runTurn(({ token }) => delay(token, 1000));
    expect(await shown()).toBe('日本語日… · esc to interrupt');
    for (const [columns, row] of [
      [20, 'esc to interrupt'],
      [10, 'esc to i…'],
    ] as const) {
      screen.written.length = 0;
      screen.resize(columns, 10);
      expect(screen.text()).toContain(row);
    }
    await clock.advance(1000);
    await turn;
  });

  it('shows a progress while no turn runs', async () => {
    open();
    const reading = status.progress('Reading', { total: 2 });
    reading.update(1);
    expect(await shown()).toBe('Waiting · 0 s · Reading 1/2 · esc to interrupt');
    reading.release();
    expect(await shown()).toBe('');
  });

  it('writes nothing where there is no terminal', async () => {
    open({}, { isTTY: false });
    const turn = agent.runTurn(({ token }) => delay(token, 5000));
    agent.cancel();
    await clock.advance(1000);
    await turn;
    expect(screen.text()).toBe('');
  });

  it.each([
    [{ hitn: 'x' }, 'options.hitn is no option: there are hint, cancelledLine, receipt, clock'],
    [{ hint: 7 }, 'hint must be a string, got 7'],
    [{ cancelledLine: null }, 'cancelledLine must be a string, got null'],
    [{ receipt: true }, 'receipt must be a function, got true'],
  ])('refuses %j', (options, message) => {
    open();
    expect(() => openStatusLine(gate, agent, options as never)).toThrow(new TypeError(message));
  });

  it('refuses what is no gate', () => {
    open();
    expect(() => openStatusLine(process.stdout as never, agent)).toThrow('output.openFooter must be a function');
    expect(() => openStatusLine(null as never, agent)).toThrow('output must be an output gate, got null');
  });
});
