import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import {
  watchInjection,
  type Injection,
  type InjectionOptions,
} from '../../../../src/adapters/terminal/injection/watch-injection.ts';
import { watchTerminal, type TerminalWatcher } from '../../../../src/adapters/terminal/index.ts';
import { createOutputGate, type OutputGate } from '../../../../src/adapters/terminal/output/output-gate.ts';
import { InterruptController, type Interjection, type InterruptEvent } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { FakeTty } from '../../internal/keyboard/fake-tty.ts';
import { FakeScreen } from '../output/fake-screen.ts';
import { eventually } from '../../../support/eventually.ts';

const ESC = '\x1b[27u';

let tty: FakeTty;
let screen: FakeScreen;
let output: OutputGate;
let agent: InterruptController;
let terminal: TerminalWatcher;
let injection: Injection;
let events: InterruptEvent[];

function inject(options: Partial<InjectionOptions<string>> = {}): Injection {
  injection = watchInjection(terminal, agent, { output, ...options });
  return injection;
}

/** A turn whose first model call waits for `first`, and whose second one says what it was told. */
function runTurn(first: Promise<unknown>): Promise<readonly string[]> {
  return agent
    .runTurn(async (turn) => {
      const stream = output.stream(turn.token);
      stream.write('one two');
      await turn.model(() => first);
      stream.write(' three');
      const told = await turn.model((context) =>
        Promise.resolve(context.readInterjections().map(({ message }) => message)),
      );
      return told.delivered.map(({ message }: Interjection) => String(message));
    })
    .then((report) => (report.status === 'completed' ? report.value : []));
}

beforeEach(() => {
  tty = new FakeTty();
  screen = new FakeScreen({ columns: 30, rows: 8 });
  output = createOutputGate(screen);
  agent = new InterruptController({ name: 'main' });
  events = [];
  agent.onEvent((event) => events.push(event));
  terminal = watchTerminal(agent, { input: tty, clock: new VirtualClock(), onLeave: () => undefined });
});

afterEach(async () => {
  injection.release();
  await terminal.close();
  output.close();
  await agent.close();
  expect(tty.attached()).toBe(0);
  expect(screen.attached()).toBe(0);
});

describe('the line', () => {
  it('gives back what was typed when it is closed, to the next prompt and not sent, and a line that came too late', async () => {
    const given: string[] = [];
    inject({ onUndelivered: (text) => given.push(text) });
    const first = deferred<string>();
    const told = runTurn(first.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    tty.type(`\`half\x1b[200~\na line\x1b[201~${ESC}`);
    await eventually(() => expect(output.isHeld).toBe(false));
    injection.release();
    inject();
    tty.type(`\`and the rest${ESC}`);
    await eventually(() => expect(output.isHeld).toBe(false));
    tty.type(`\`  ${ESC}`); // nothing anybody would miss
    await eventually(() => expect(injection.isOpen).toBe(false));
    expect([given, terminal.takeTypeAhead()]).toEqual([[], 'half a lineand the rest']);
    await eventually(() => expect(output.isHeld).toBe(false));
    tty.type('`for nobody');
    first.resolve('done');
    expect(await told).toEqual([]);
    tty.type('\r');
    await eventually(() => expect(terminal.takeTypeAhead()).toBe('for nobody'));
  });

  it('S30 goes to the next model call of the running turn, worded, and its delivery is an event', async () => {
    inject();
    const first = deferred<string>();
    const told = runTurn(first.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    tty.type('`');
    expect([injection.isOpen, output.isHeld, terminal.gate.isWaitingInput]).toEqual([true, true, true]);
    tty.type('use pnpm\r');
    await eventually(() => expect(injection.isOpen).toBe(false));
    first.resolve('done');
    expect(await told).toEqual(['use pnpm']);
    expect(events.filter(({ type }) => type === 'interjection-delivered')).toHaveLength(1);
    expect([output.isHeld, terminal.gate.isWaitingInput]).toEqual([false, false]);
  });

  it('holds the output while it is open and leaves what was typed above what follows', async () => {
    inject();
    const first = deferred<string>();
    const told = runTurn(first.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    tty.type('`');
    first.resolve('done');
    await told;
    expect(screen.text()).not.toContain(' three');
    tty.type('x\r');
    await eventually(() => expect(screen.text()).toContain('\r\ninject> x\r\n three'));
  });

  it.each([ESC, '\x03'])('is closed by %j, which cancels nothing', async (key) => {
    inject({ leave: 'erase' });
    const first = deferred<string>();
    const told = runTurn(first.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    tty.type('`x');
    tty.type(key);
    await eventually(() => expect(injection.isOpen).toBe(false));
    first.resolve('done');
    expect(await told).toEqual([]);
    expect(agent.lastReport).toBeUndefined();
    expect(events.filter(({ type }) => type === 'interrupt-requested')).toEqual([]);
  });

  it('keeps a pasted text of three lines whole', async () => {
    inject({ toMessage: (text) => `<${text}>` });
    const first = deferred<string>();
    const told = runTurn(first.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    tty.type('`\x1b[200~a\nb\nc\x1b[201~');
    expect(screen.text()).toContain('inject> a⏎b⏎c');
    tty.type('\r');
    await eventually(() => expect(injection.isOpen).toBe(false));
    first.resolve('done');
    expect(await told).toEqual(['<a\nb\nc>']);
  });

  it('takes no key behind its last one', async () => {
    inject();
    const first = deferred<string>();
    const told = runTurn(first.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    tty.type('`one\rtwo');
    expect(terminal.takeTypeAhead()).toBe('two');
    first.resolve('done');
    expect(await told).toEqual(['one']);
  });

  it('sends nothing if nothing was typed, and opens only while a turn runs', async () => {
    inject();
    tty.type('`');
    expect([injection.isOpen, terminal.takeTypeAhead()]).toEqual([false, '`']);
    const first = deferred<string>();
    const told = runTurn(first.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    tty.type('` \r');
    await eventually(() => expect(injection.isOpen).toBe(false));
    first.resolve('done');
    expect(await told).toEqual([]);
  });

  it('comes back if the turn was cancelled, or had ended, before it was sent', async () => {
    const back: string[] = [];
    inject({ onUndelivered: (text) => back.push(text) });
    const never = deferred<string>();
    void runTurn(never.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    tty.type('`too late');
    await agent.cancel().settled;
    expect(injection.isOpen).toBe(true);
    tty.type('\r');
    await eventually(() => expect(back).toEqual(['too late']));
    never.resolve('');
  });

  it('is read by an editor of yours, and the output goes on when that one fails', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    inject({ readLine: () => Promise.reject(new Error('on purpose')) });
    injection.open();
    await eventually(() => expect(said).toHaveBeenCalledOnce());
    expect([injection.isOpen, output.isHeld]).toEqual([false, false]);
    said.mockRestore();
  });
});

describe('a prompt and the line', () => {
  it('S30 do not have the keyboard together: the prompt waits, and finds what came back of the line', async () => {
    const back: string[] = [];
    inject({ onUndelivered: (text) => void back.push(text) });
    injection.open();
    tty.type('also');
    const asked = terminal.prompt(() => back.shift() ?? 'asked');
    await new Promise((resolve) => setImmediate(resolve));
    tty.type(' this\r');
    expect(await asked).toBe('also this');
  });

  it('S30 are not mixed up by the key: in a prompt beside the watcher it is a character', async () => {
    inject();
    const never = deferred<string>();
    void runTurn(never.promise);
    terminal.gate.enter();
    tty.type('`');
    injection.open();
    expect(injection.isOpen).toBe(false);
    terminal.gate.exit();
    tty.type('`');
    expect(injection.isOpen).toBe(true);
    tty.type(ESC);
    never.resolve('');
  });

  it('S30 may be one: an editor of yours that reads in a prompt of the watcher', async () => {
    const back: string[] = [];
    inject({
      readLine: () => terminal.prompt(() => Promise.resolve('from readline')),
      onUndelivered: (text) => void back.push(text),
    });
    injection.open();
    await eventually(() => expect(back).toEqual(['from readline']));
  });
});

describe('a line that is open', () => {
  it('S30 when its key is released is closed, and the output goes on', async () => {
    inject();
    const never = deferred<string>();
    void runTurn(never.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    tty.type('`abc');
    injection.release();
    await eventually(() =>
      expect([injection.isOpen, output.isHeld, terminal.gate.isWaitingInput]).toEqual(Array(3).fill(false)),
    );
    expect(events.filter(({ type }) => type === 'interrupt-requested')).toEqual([]);
    never.resolve('');
  });

  it.each([true, false])(
    'S30 when its terminal is closed is closed too; by the option inject: %s',
    async (byOption) => {
      inject();
      const own = new FakeTty();
      const watcher = watchTerminal(agent, {
        input: own,
        clock: new VirtualClock(),
        ...(byOption && { inject: { output } }),
      });
      const line = byOption ? undefined : watchInjection(watcher, agent, { output });
      const never = deferred<string>();
      void runTurn(never.promise);
      own.type('`abc');
      expect(output.isHeld).toBe(true);
      await watcher.close();
      await eventually(() => expect([output.isHeld, watcher.gate.isWaitingInput]).toEqual([false, false]));
      line?.release();
      never.resolve('');
    },
  );
});

describe('the option of watchTerminal', () => {
  it('opens the same line, and is released with the watcher', async () => {
    const own = new FakeTty();
    const clock = new VirtualClock();
    const watcher = watchTerminal(agent, { input: own, clock, inject: { output, key: 'i', prompt: '? ' } });
    inject();
    const first = deferred<string>();
    const told = runTurn(first.promise);
    await eventually(() => expect(screen.text()).toBe('one two'));
    own.type('ihello');
    expect(screen.text()).toContain('? hello');
    own.type('\r');
    await eventually(() => expect(output.isHeld).toBe(false));
    first.resolve('done');
    expect(await told).toEqual(['hello']);
    await watcher.close();
    expect(own.attached()).toBe(0);
  });

  it('knows where the cursor stands after a prompt of the watcher', async () => {
    inject();
    const own = new FakeTty();
    const watcher = watchTerminal(agent, { input: own, clock: new VirtualClock(), inject: { output } });
    output.write('> ');
    await watcher.prompt(() => 'answered, with Enter');
    output.writeLine('next');
    expect(screen.text()).toBe('> next\r\n');
    await watcher.close();
  });

  it('gives the keyboard back if it is refused', () => {
    inject();
    const own = new FakeTty();
    const deaf = { state: 'idle' as const, cancel: () => undefined, kill: () => undefined };
    expect(() => watchTerminal(deaf, { input: own, inject: { output } })).toThrow(/agent.interject must be a function/);
    expect([own.attached(), own.isRaw]).toEqual([0, false]);
  });
});

describe('bad input', () => {
  it('names what it refuses', () => {
    inject();
    expect(() => inject({ leave: 'all' as never })).toThrow(/leave must be/);
    expect(() => inject({ key: '' })).toThrow(/key must be the name of a key, got ""/);
    expect(() => inject({ toMessage: 1 as never })).toThrow(/toMessage must be a function, got 1/);
    expect(() => watchInjection({} as never, agent, { output })).toThrow(/terminal.handle must be a function/);
    expect(() => watchInjection(terminal, {} as never, { output })).toThrow(/agent.interject must be a function/);
    expect(() => watchInjection(terminal, agent, {} as never)).toThrow(
      /options.output must be an object, got undefined/,
    );
  });
});

it('an injection refuses an option that it does not know', () => {
  expect(() => inject({ promt: '> ' } as never)).toThrow('options.promt is no option');
});
