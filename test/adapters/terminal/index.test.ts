import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { afterSignals, createProcessHooks } from '../../../src/adapters/internal/process/process-hooks.ts';
import { findStdin } from '../../../src/adapters/internal/keyboard/stdin-registry.ts';
import {
  createOutputGate,
  watchTerminal,
  type TerminalWatcher,
  type WatchTerminalOptions,
} from '../../../src/adapters/terminal/index.ts';
import { CancelledError, DeadlineExceededError } from '../../../src/core/foundation/errors.ts';
import { InterruptController } from '../../../src/core/interrupt/controller.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { SessionRegistry } from '../../../src/sessions/session-registry.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeTty } from '../internal/keyboard/fake-tty.ts';
import { FakeController } from '../internal/presses/fake-controller.ts';
import { eventually } from '../../support/eventually.ts';

const registry = Symbol.for('desist.process-hooks.v1');
const home = globalThis as Record<symbol, unknown>;

let tty: FakeTty;
let clock: VirtualClock;
let agent: FakeController;
let host: EventEmitter & { readonly ends: string[] };
let terminal: TerminalWatcher;
let left: number[];
let before: unknown;

beforeEach(() => {
  tty = new FakeTty();
  clock = new VirtualClock({ startAt: 1_000_000 });
  agent = new FakeController();
  left = [];
  const ends: string[] = [];
  const stand = Object.assign(new EventEmitter(), {
    pid: 1,
    platform: 'linux',
    ends,
    kill: (_pid: number, signal: string) => ends.push(signal),
    exit: (code: number) => ends.push(String(code)),
  });
  host = stand;
  before = home[registry];
  home[registry] = createProcessHooks(stand, (fn) => {
    fn();
  });
});

afterEach(async () => {
  await terminal.close();
  expect(tty.attached()).toBe(0);
  expect(host.eventNames()).toEqual([]);
  expect(clock.pending).toBe(0);
  home[registry] = before;
});

function watch(options: WatchTerminalOptions = {}): TerminalWatcher {
  terminal = watchTerminal(agent, {
    input: tty,
    clock,
    escTimeoutMs: 50,
    onLeave: (code) => left.push(code),
    ...options,
  });
  return terminal;
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A key nobody mistakes for the begin of another: the Kitty protocol's ESC needs no silence. */
const ESC = '\x1b[27u';

describe('ESC', () => {
  it('cancels the run, a second one kills it', () => {
    watch();
    agent.become('running');
    tty.type(ESC);
    tty.type(ESC);
    expect(agent.calls).toEqual(['cancel user', 'kill user']);
  });

  it('cancels as a plain byte after silence', async () => {
    watch();
    agent.become('running');
    tty.type('\x1b');
    clock.advanceSync(50);
    expect(agent.calls).toEqual([]); // the kernel is polled once more
    await new Promise(setImmediate);
    expect(agent.calls).toEqual(['cancel user']);
  });

  it('is ignored while idle', () => {
    watch();
    tty.type(ESC);
    expect(agent.calls).toEqual([]);
  });

  it('goes to a popup first', () => {
    watch();
    agent.become('running');
    const popup = terminal.handle((event) => event.type === 'key' && event.name === 'escape');
    tty.type(ESC);
    expect(agent.calls).toEqual([]);
    popup.release();
    tty.type(ESC);
    expect(agent.calls).toEqual(['cancel user']);
  });

  it('refuses a handler with an option that there is not', () => {
    watch();
    expect(() => terminal.handle(() => true, { prio: 1 } as never)).toThrow('options.prio is no option');
  });

  it('reaches an idle action only when idle, and not right after a run', () => {
    const idle = vi.fn(() => true);
    watch();
    terminal.handle(idle, { priority: -100 });
    agent.become('running');
    tty.type(ESC);
    agent.become('idle');
    tty.type(ESC);
    expect(idle).not.toHaveBeenCalled();
    clock.advanceSync(400);
    tty.type(ESC);
    expect(idle).toHaveBeenCalledOnce();
  });

  it('with a modifier is another key', () => {
    watch();
    agent.become('running');
    tty.type('\x1b[27;3u\x1b[27;5u');
    expect(agent.calls).toEqual([]);
  });

  it('can be left to the program', () => {
    watch({ escape: false });
    agent.become('running');
    tty.type(ESC);
    expect(agent.calls).toEqual([]);
  });
});

describe('Ctrl+C', () => {
  it('as a byte and as a signal obeys one rule', () => {
    watch();
    agent.become('running');
    tty.type('\x03');
    host.emit('SIGINT');
    expect([agent.calls, left, host.ends]).toEqual([['cancel user', 'kill user'], [130], []]);
  });

  it('is disarmed by another key, even one that a popup takes', () => {
    watch();
    terminal.handle((event) => event.type === 'key' && event.name === 'x', { priority: Number.MAX_VALUE });
    tty.type('\x03');
    tty.type('x');
    tty.type('\x03');
    expect(left).toEqual([]);
  });

  it.each([
    ['a letter', 'x', []],
    ['an ESC that is the prompt’s', ESC, []],
    ['nothing', '', [130]],
  ])('is a pair over a prompt at which %s was typed, or is not', async (_what, typed, exits) => {
    watch();
    tty.type('\x03');
    const done = deferred();
    const asked = terminal.prompt(() => done.promise);
    await tick();
    tty.resume(); // as the prompt does
    if (typed !== '') tty.type(typed);
    host.emit('SIGINT'); // its library has raised it
    expect(left).toEqual(exits);
    done.resolve();
    await asked;
  });

  it('held down is one press where the terminal tells', () => {
    watch();
    tty.type('\x1b[99;5u\x1b[99;5:2u\x1b[99;5:2u');
    expect(left).toEqual([]);
  });

  it('with Shift is a copy, not an interrupt', () => {
    watch();
    agent.become('running');
    tty.type('\x1b[99;6u');
    expect(agent.calls).toEqual([]);
  });

  it('can be left to the program, the signal with it', () => {
    watch({ ctrlC: false });
    agent.become('running');
    tty.type('\x03');
    expect(agent.calls).toEqual([]);
    host.emit('SIGINT');
    expect(host.ends).toEqual(['SIGINT']);
  });
});

describe('prompt', () => {
  it('has the keyboard, cooked, while it is open, and ESC is its own', async () => {
    watch();
    agent.become('running');
    const answer = deferred<string>();
    const asked = terminal.prompt(() => {
      // Who only listens beside the prompt does not make the stream flow.
      expect([tty.isRaw, tty.isFlowing, tty.isReffed]).toEqual([false, false, true]);
      return answer.promise;
    });
    expect(terminal.gate.isWaitingInput).toBe(true);
    tty.emit('data', Buffer.from(ESC));
    answer.resolve('yes');
    expect(await asked).toBe('yes');
    expect([terminal.gate.isWaitingInput, tty.isRaw, agent.calls]).toEqual([false, true, []]);
  });

  it('gives the keyboard back when it throws or rejects', async () => {
    watch();
    await expect(terminal.prompt(() => Promise.reject(new Error('closed')))).rejects.toThrow('closed');
    await expect(
      terminal.prompt(() => {
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
    expect([terminal.gate.isWaitingInput, tty.isRaw]).toEqual([false, true]);
  });

  it('leaves Ctrl+C as a signal in force', async () => {
    watch();
    agent.become('running');
    const answer = deferred();
    const asked = terminal.prompt(() => answer.promise);
    host.emit('SIGINT');
    expect(agent.calls).toEqual(['cancel user']);
    answer.resolve();
    await asked;
  });

  it('keeps the terminal cooked when the watcher closes meanwhile', async () => {
    watch();
    const answer = deferred();
    const asked = terminal.prompt(() => answer.promise);
    await terminal.close();
    answer.resolve();
    await asked;
    expect(tty.isRaw).toBe(false);
  });

  it('waits for one that is open already: an answer is for one question', async () => {
    watch();
    const answer = deferred<string>();
    const asked: string[] = [];
    const first = terminal.prompt(() => (asked.push('first'), answer.promise));
    const second = terminal.prompt(() => (asked.push('second'), terminal.takeTypeAhead()));
    await tick();
    expect(asked).toEqual(['first']);
    answer.resolve('yes');
    expect([await first, await second]).toEqual(['yes', '']);
    expect([asked, terminal.gate.isWaitingInput]).toEqual([['first', 'second'], false]);
  });

  it('waits for one of another watcher of the same keyboard', async () => {
    watch();
    const other = watchTerminal(agent, { input: tty, clock: new VirtualClock() });
    const answer = deferred();
    const first = other.prompt(() => answer.promise);
    const second = terminal.prompt(() => 'second');
    const isLate = Promise.race([second, tick().then(() => 'waits')]);
    expect(await isLate).toBe('waits');
    answer.resolve();
    await first;
    expect(await second).toBe('second');
    await other.close();
  });

  it('opens another one inside itself at once', async () => {
    watch();
    const inner = await terminal.prompt(() => terminal.prompt(() => terminal.gate.isWaitingInput));
    expect([inner, terminal.gate.isWaitingInput]).toEqual([true, false]);
  });

  it('ends with its token, closed by the signal, and the next one has the keyboard', async () => {
    watch();
    const turn = new CancellationTokenSource();
    const closed: string[] = [];
    const asked = terminal.prompt(
      ({ signal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            closed.push('first');
            reject(signal.reason as Error);
          });
        }),
      { token: turn.token },
    );
    const next = terminal.prompt(() => `next, raw ${String(tty.isRaw)}`);
    turn.cancel('user');
    await expect(asked).rejects.toThrow(CancelledError);
    expect([await next, closed, tty.isRaw]).toEqual(['next, raw false', ['first'], true]);
  });

  it('that hears no signal is left behind after the grace, and the keyboard taken back', async () => {
    watch();
    const turn = new CancellationTokenSource({ clock });
    const asked = terminal.prompt(() => new Promise<never>(() => undefined), { token: turn.token });
    const end = expect(asked).rejects.toThrow(CancelledError);
    turn.cancel('user');
    expect(tty.isRaw).toBe(false);
    await clock.advance(1000);
    await end;
    expect([tty.isRaw, terminal.gate.isWaitingInput]).toEqual([true, false]);
  });

  it('that waits leaves the queue with its token, takes nothing typed, and holds nobody up', async () => {
    watch();
    tty.type('yes\r');
    const turn = new CancellationTokenSource();
    const answer = deferred();
    const first = terminal.prompt(() => answer.promise, { typeAhead: 'hold' });
    let isAsked = false;
    const second = terminal.prompt(() => (isAsked = true), { token: turn.token });
    const third = terminal.prompt(() => 'third', { typeAhead: 'hold' });
    const end = expect(second).rejects.toThrow(CancelledError);
    turn.cancel('user');
    await end; // though the first is still open
    answer.resolve();
    await first;
    expect(await third).toBe('third');
    await expect(terminal.prompt(() => (isAsked = true), { token: turn.token })).rejects.toThrow(CancelledError);
    expect([isAsked, terminal.takeTypeAhead()]).toEqual([false, 'yes\n']);
  });

  it('has its limit from the moment it has the keyboard', async () => {
    watch();
    const answer = deferred();
    const first = terminal.prompt(() => answer.promise);
    const second = terminal.prompt(({ signal }) => once(signal, 'abort').then(() => signal.throwIfAborted()), {
      timeoutMs: 60_000,
    });
    await clock.advance(60_000);
    answer.resolve();
    await first;
    await tick();
    await clock.advance(59_999);
    expect(terminal.gate.isWaitingInput).toBe(true);
    const end = expect(second).rejects.toThrow(DeadlineExceededError);
    await clock.advance(1);
    await end;
    expect(terminal.gate.isWaitingInput).toBe(false);
  });

  it('refuses what is no function, and an option that there is not', async () => {
    watch();
    await expect(terminal.prompt('ask' as never)).rejects.toThrow(TypeError);
    await expect(terminal.prompt(() => 1, { typeAhead: 'x' as never })).rejects.toThrow(TypeError);
    await expect(terminal.prompt(() => 1, { signal: 1 } as never)).rejects.toThrow('options.signal is no option');
    await expect(terminal.prompt(() => 1, { token: 'turn' as never })).rejects.toThrow(TypeError);
    await expect(terminal.prompt(() => 1, { timeoutMs: -1 })).rejects.toThrow(RangeError);
    expect(terminal.gate.isWaitingInput).toBe(false);
  });
});

describe('an answer that nobody gave', () => {
  /** As clack does: resolves with a symbol when its signal is aborted. */
  const clack = ({ signal }: { readonly signal: AbortSignal }): Promise<unknown> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve(Symbol('clack:cancel'));
      });
    });

  it('is none: a prompt that was stopped rejects, whatever its library makes of the signal', async () => {
    watch();
    const turn = new CancellationTokenSource();
    const asked = terminal.prompt(clack, { token: turn.token });
    turn.cancel('user');
    await expect(asked).rejects.toThrow(CancelledError);
  });

  it('is none past the limit either', async () => {
    watch();
    const end = expect(terminal.prompt(clack, { timeoutMs: 10 })).rejects.toThrow(DeadlineExceededError);
    await clock.advance(10);
    await end;
  });

  it('is none where the stop comes before anything came of the answer', async () => {
    watch();
    const turn = new CancellationTokenSource();
    const asked = terminal.prompt(() => Promise.resolve('yes'), { token: turn.token });
    const end = expect(asked).rejects.toThrow(CancelledError);
    await Promise.resolve();
    turn.cancel('user');
    await end;
  });
});

describe('ESC at a question', () => {
  beforeEach(() => {
    agent.become('running');
  });

  /** A library that has the keyboard, and resolves with the first key. */
  const anyKey = (): Promise<string> =>
    new Promise((resolve) => {
      tty.resume();
      tty.once('data', (data: unknown) => {
        tty.pause();
        resolve(String(data));
      });
    });

  it('is its own where nothing was said, and the stop with cancel-turn, also where the library resolves', async () => {
    watch();
    const first = terminal.prompt(anyKey);
    tty.type(ESC);
    expect([await first, agent.calls]).toEqual([ESC, []]);
    for (const key of [ESC, '\x1b']) {
      agent.become('running');
      agent.calls.length = 0;
      const asked = terminal.prompt(anyKey, { escape: 'cancel-turn' });
      tty.type(key);
      await expect(asked).rejects.toThrow(CancelledError);
      expect(agent.calls).toEqual(['cancel user']);
      await clock.advance(1000);
    }
  });

  it('ends the turn at the first press with double, too, and the questions that wait are never shown', async () => {
    watch({ escape: 'double' });
    const turn = new CancellationTokenSource();
    agent.cancel = () => {
      turn.cancel('user');
      agent.become('cancelling');
    };
    const options = { escape: 'cancel-turn', token: turn.token } as const;
    let shown = 0;
    const ask = ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
      shown++;
      tty.resume();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    };
    const asked = [1, 2, 3].map(() => expect(terminal.prompt(ask, options)).rejects.toThrow(CancelledError));
    tty.type(ESC);
    await Promise.all(asked);
    expect(shown).toBe(1);
  });

  it('is asked of a function at each press: what is typed is cleared first', async () => {
    watch();
    let typed = 'half';
    const escape = () => {
      if (typed === '') return 'cancel-turn' as const;
      typed = '';
      return 'prompt' as const;
    };
    const asked = terminal.prompt(
      ({ signal }) => {
        tty.resume();
        return once(signal, 'abort');
      },
      { escape },
    );
    tty.type(ESC);
    expect([typed, agent.calls]).toEqual(['', []]);
    const end = expect(asked).rejects.toThrow(CancelledError);
    tty.type(ESC);
    await end;
    expect(agent.calls).toEqual(['cancel user']);
  });

  it('stays with the prompt where nothing runs, and where a function of theirs fails', async () => {
    watch();
    agent.become('idle');
    const first = terminal.prompt(anyKey, { escape: 'cancel-turn' });
    tty.type(ESC);
    expect(await first).toBe(ESC);
    agent.become('running');
    const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const second = terminal.prompt(anyKey, { escape: () => 'stop' as never });
    tty.type(ESC);
    expect([await second, agent.calls, report.mock.calls.length]).toEqual([ESC, [], 1]);
    report.mockRestore();
    await expect(terminal.prompt(anyKey, { escape: 'cancel' as never })).rejects.toThrow(TypeError);
  });
});

describe('a key that time has to decide', () => {
  beforeEach(() => {
    agent.become('running');
  });

  /** The silence, and the poll after it. */
  const silence = async (): Promise<void> => {
    await clock.advance(50);
    await tick();
  };

  it('is the prompt\u2019s if that was open when it came, though it is closed by now', async () => {
    watch();
    terminal.gate.enter();
    tty.type('\x1b');
    terminal.gate.exit();
    await silence();
    expect(agent.calls).toEqual([]);
  });

  it('is the stop if no prompt was open when it came, though one is by now', async () => {
    watch();
    tty.type('\x1b');
    terminal.gate.enter();
    await silence();
    expect(agent.calls).toEqual(['cancel user']);
    terminal.gate.exit();
  });

  it('is the popup\u2019s if that was there when it came, and passes one that came up since', async () => {
    watch();
    const popup = terminal.handle(() => true);
    tty.type('\x1b');
    popup.release();
    await silence();
    expect(agent.calls).toEqual([]);
    tty.type('\x1b');
    terminal.handle(() => true);
    await silence();
    expect(agent.calls).toEqual(['cancel user']);
  });

  it('keeps a prompt waiting, which is never shown where the key ends its turn', async () => {
    watch();
    const turn = new CancellationTokenSource();
    agent.cancel = () => turn.cancel('user');
    tty.type('\x1b');
    let isShown = false;
    const asked = terminal.prompt(() => (isShown = true), { token: turn.token });
    const end = expect(asked).rejects.toThrow(CancelledError);
    await silence();
    await end;
    expect(isShown).toBe(false);
  });

  it('that turns out to be an arrow key stops nothing, and the prompt that waited opens', async () => {
    watch();
    tty.type('\x1b');
    const asked = terminal.prompt(() => 'asked');
    tty.type('[A');
    expect([await asked, agent.calls]).toEqual(['asked', []]);
  });

  it('came before the run, and does not stop it', async () => {
    agent.become('idle');
    watch();
    tty.type('\x1b');
    await clock.advance(10);
    agent.become('running');
    await clock.advance(40);
    await tick();
    expect(agent.calls).toEqual([]);
  });

  it('calls no handler of a watcher that is closed', async () => {
    watch();
    const handler = vi.fn(() => true);
    const other = watchTerminal(new FakeController(), { input: tty, clock, escTimeoutMs: 50 });
    other.handle(handler);
    tty.type('\x1b');
    await other.close();
    await silence();
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('the crash guard', () => {
  it('says whether it is there, and why not', () => {
    watch();
    expect([terminal.crashGuard.state, terminal.crashGuard.unavailable]).toEqual(['off', undefined]);
    void terminal.close();
    watch({ crashGuard: true }); // the stream does not say its file descriptor
    expect([terminal.crashGuard.state, terminal.crashGuard.unavailable?.reason]).toEqual([
      'unavailable',
      'no-descriptor',
    ]);
    void terminal.close();
    tty.isTTY = false;
    watch({ crashGuard: true });
    expect([terminal.crashGuard.state, terminal.crashGuard.unavailable?.reason]).toEqual([
      'unavailable',
      'no-terminal',
    ]);
  });
});

describe('what keeps the process alive', () => {
  it('is an open prompt, or a program that has the terminal, also where nothing is read', async () => {
    watch();
    const [asked, ended] = [deferred(), deferred()];
    const prompt = terminal.prompt(() => asked.promise);
    expect(clock.pending).toBe(1);
    await clock.advance(2 ** 31 + 5);
    expect(clock.pending).toBe(1);
    asked.resolve();
    await prompt;
    expect(clock.pending).toBe(0);
    const program = terminal.handOver(() => ended.promise);
    expect(clock.pending).toBe(1);
    ended.resolve();
    await program;
    expect(clock.pending).toBe(0);
  });

  it('is a prompt that waits for another one, too', async () => {
    watch();
    const answer = deferred();
    const first = terminal.prompt(() => answer.promise);
    const one = clock.pending;
    const second = terminal.prompt(() => 'second');
    expect(clock.pending).toBe(one + 1);
    answer.resolve();
    await Promise.all([first, second]);
    expect(clock.pending).toBe(0);
  });

  it('is nothing where there is no terminal', async () => {
    tty.isTTY = false;
    watch();
    await terminal.prompt(() => {
      expect(clock.pending).toBe(0);
    });
  });
});

describe('handOver', () => {
  it('lends the terminal to a program, with its Ctrl+C, and replays nothing', async () => {
    watch();
    agent.become('running');
    tty.type('typed before');
    const ended = deferred();
    const run = terminal.handOver(async () => {
      await ended.promise;
      return 0;
    });
    expect([tty.isRaw, tty.attached(), tty.unshifted]).toEqual([false, 0, []]);
    expect(terminal.gate.isWaitingInput).toBe(true);
    host.emit('SIGINT');
    host.emit('SIGQUIT');
    expect([agent.calls, host.ends]).toEqual([[], []]);
    ended.resolve();
    expect(await run).toBe(0);
    expect([tty.isRaw, terminal.gate.isWaitingInput]).toEqual([true, false]);
    host.emit('SIGINT');
    expect(agent.calls).toEqual(['cancel user']);
  });

  it('has prompts wait for its end, but for those of its own', async () => {
    watch();
    const ended = deferred();
    const run = terminal.handOver(async () => {
      expect(await terminal.prompt(() => 'within')).toBe('within');
      await ended.promise;
    });
    let isOpen = false;
    const prompt = terminal.prompt(() => void (isOpen = true));
    await clock.advance(1000);
    expect(isOpen).toBe(false);
    ended.resolve();
    await Promise.all([run, prompt]);
    expect(isOpen).toBe(true);
  });

  it('tells the screen that the cursor is on an empty row again, also after a program that took the terminal by itself', async () => {
    const output = createOutputGate(new PassThrough());
    const atNewLine = vi.spyOn(output, 'atNewLine');
    terminal = watchTerminal(new InterruptController({ clock }), { input: tty, clock, inject: { output } });
    await terminal.handOver(() => undefined);
    expect(atNewLine).toHaveBeenCalledTimes(1);
    findStdin(tty)?.programs.lend().release();
    expect(atNewLine).toHaveBeenCalledTimes(2);
    output.close();
  });

  it('takes the terminal back when it fails, and leaves signals alone where there is none', async () => {
    watch();
    await expect(terminal.handOver(() => Promise.reject(new Error('no vim')))).rejects.toThrow('no vim');
    expect(tty.isRaw).toBe(true);
    await expect(terminal.handOver('vim' as never)).rejects.toThrow('fn must be a function, got "vim"');
    await terminal.close();
    tty.isTTY = false;
    watch();
    agent.become('running');
    const ended = deferred();
    const run = terminal.handOver(() => ended.promise);
    host.emit('SIGINT');
    expect(agent.calls).toEqual(['cancel user']);
    ended.resolve();
    await run;
  });
});

describe('Ctrl+Z', () => {
  it('can be left to the program', () => {
    watch({ ctrlZ: false });
    const seen = vi.fn(() => true);
    terminal.handle(seen, { priority: -100 });
    tty.type('\x1a');
    expect(seen).toHaveBeenCalledOnce();
  });
});

describe('the gate', () => {
  it('keeps ESC for a prompt that reads beside us, and Ctrl+C in force', () => {
    watch();
    agent.become('running');
    terminal.gate.enter();
    tty.type(ESC);
    tty.type('y');
    expect([terminal.gate.isWaitingInput, agent.calls, terminal.takeTypeAhead()]).toEqual([true, [], '']);
    tty.type('\x03');
    expect(agent.calls).toEqual(['cancel user']);
    terminal.gate.exit();
    expect(() => {
      terminal.gate.exit();
    }).toThrow(RangeError);
  });
});

describe('what lies unread in the terminal when a prompt opens', () => {
  it.each(['hold', 'discard', 'replay'] as const)('was typed before, with %s', async (typeAhead) => {
    watch({ typeAhead });
    setImmediate(() => {
      tty.type('y\r'); // what the next poll of the kernel brings
    });
    await terminal.prompt(() => 'asked');
    await new Promise<void>(afterSignals);
    expect([typeAhead, tty.unshifted, terminal.takeTypeAhead()]).toEqual([
      typeAhead,
      [],
      typeAhead === 'discard' ? '' : 'y\n',
    ]);
  });
});

describe('type-ahead', () => {
  async function ask(options?: Parameters<TerminalWatcher['prompt']>[1]): Promise<string> {
    tty.unshifted.length = 0;
    await terminal.prompt(() => undefined, options);
    return tty.unshifted.join('');
  }

  it('is replayed, one line a prompt', async () => {
    watch();
    agent.become('running');
    tty.type('one\rtwo');
    expect([await ask(), await ask(), await ask()]).toEqual(['one\n', 'two', '']);
  });

  it('waits while a prompt holds it off', async () => {
    watch();
    tty.type('y\r');
    expect([await ask({ typeAhead: 'hold' }), await ask()]).toEqual(['', 'y\n']);
  });

  it('is forgotten on request', async () => {
    watch({ typeAhead: 'discard' });
    tty.type('y\r');
    expect([await ask(), await ask({ typeAhead: 'replay' })]).toEqual(['', '']);
  });

  it('can be taken', async () => {
    watch();
    tty.type('one\rtwo');
    expect([terminal.takeTypeAhead(), await ask()]).toEqual(['one\ntwo', '']);
  });

  it('loses nothing that came in one chunk with the key that opened a prompt', async () => {
    watch();
    const answer = deferred();
    let asked: Promise<void> | undefined;
    terminal.handle((event) => {
      if (event.type !== 'key' || event.name !== '`') return false;
      asked = terminal.prompt(() => answer.promise);
      return true;
    });
    tty.type('a`b');
    expect(tty.unshifted).toEqual(['a']);
    answer.resolve();
    await asked;
    expect(terminal.takeTypeAhead()).toBe('b');
  });

  it('leaves out what a handler took', () => {
    watch();
    terminal.handle((event) => event.type === 'key' && event.name === '`');
    tty.type('a`b');
    expect(terminal.takeTypeAhead()).toBe('ab');
  });
});

describe('without a terminal', () => {
  it('touches nothing, and prompts all the same', async () => {
    tty.isTTY = false;
    watch();
    expect(terminal.degraded).toBe('no terminal');
    expect([tty.modes, tty.attached(), tty.isFlowing]).toEqual([[], 0, false]);
    await terminal.prompt(() => {
      expect(terminal.gate.isWaitingInput).toBe(true);
    });
    expect([tty.modes, tty.unshifted]).toEqual([[], []]);
  });

  it('still obeys signals: the first stops the run, the next leaves', () => {
    tty.isTTY = false;
    watch();
    agent.become('running');
    host.emit('SIGINT');
    host.emit('SIGINT');
    expect([agent.calls, left, host.ends]).toEqual([['cancel user', 'kill user'], [130], []]);
  });

  it('lets SIGINT end a program with nothing to stop', () => {
    tty.isTTY = false;
    watch();
    host.emit('SIGINT');
    expect([left, host.ends]).toEqual([[], ['SIGINT']]);
  });
});

describe('several watchers of one terminal', () => {
  let other: FakeController;
  let second: TerminalWatcher;

  function watchBoth(options: WatchTerminalOptions = {}): void {
    watch();
    other = new FakeController();
    second = watchTerminal(other, { input: tty, clock, onLeave: (code) => left.push(code), ...options });
  }
  afterEach(() => second.close());

  it('give the stop to the newest one that is busy, and to that one only', () => {
    watchBoth();
    agent.become('running');
    tty.type(ESC);
    expect([agent.calls, other.calls]).toEqual([['cancel user'], []]);
    agent.become('running');
    other.become('running');
    tty.type('\x03');
    expect([agent.calls, other.calls]).toEqual([['cancel user'], ['cancel user']]);
    host.emit('SIGINT');
    expect([agent.calls, other.calls, left]).toEqual([['cancel user'], ['cancel user', 'kill user'], [130]]);
  });

  it('count two Ctrl+C as one pair, though the first one was for a run that has ended', () => {
    watchBoth();
    agent.become('running');
    tty.type('\x03');
    agent.become('idle');
    other.become('running');
    host.emit('SIGINT');
    expect([other.calls, left]).toEqual([[], [130]]);
  });

  it('swallow a late ESC instead of handing it to the next in line', () => {
    watchBoth();
    agent.become('running');
    other.become('running');
    tty.type(ESC);
    other.become('idle');
    tty.type(ESC);
    expect([agent.calls, other.calls]).toEqual([[], ['cancel user']]);
    clock.advanceSync(400);
    tty.type(ESC);
    expect(agent.calls).toEqual(['cancel user']);
  });

  it('pass over the one that leaves the key alone', () => {
    watchBoth({ escape: false });
    agent.become('running');
    other.become('running');
    tty.type(ESC);
    expect([agent.calls, other.calls]).toEqual([['cancel user'], []]);
  });
});

describe('with sessions', () => {
  const asked: string[] = [];
  const sessions = {
    cancel: (id: string) => asked.push(`cancel ${id}`),
    kill: (id: string) => asked.push(`kill ${id}`),
    cancelAll: () => asked.push('cancel all'),
  };
  beforeEach(() => (asked.length = 0));

  it('stops the one in front, asked at each press', () => {
    let front: string | undefined = 'one';
    terminal = watchTerminal(sessions, { input: tty, clock, front: () => front });
    tty.type(ESC);
    front = 'two';
    tty.type(ESC); // the first ESC was for another session
    front = undefined;
    tty.type(ESC);
    expect(asked).toEqual(['cancel one', 'cancel two']);
  });

  it('stops the turn of a session that is named with its controller, and knows when it is idle', () => {
    const idle = vi.fn(() => true);
    terminal = watchTerminal(sessions, { input: tty, clock, front: () => ({ id: 'one', controller: agent }) });
    terminal.handle(idle, { priority: -100 });
    agent.become('running');
    tty.type(ESC);
    agent.become('idle');
    clock.advanceSync(400);
    tty.type(ESC);
    expect([agent.calls, idle.mock.calls.length, asked]).toEqual([['cancel user'], 1, []]);
  });

  it('stops a turn of a real registry by its id, and no other session', async () => {
    const registry = new SessionRegistry({ clock });
    const run = (id: string) =>
      registry.open(id).controller.runTurn(async (turn) => {
        await turn.token.whenCancelled();
        turn.checkpoint();
      });
    const turns = [run('one'), run('two')];
    terminal = watchTerminal(registry, { input: tty, clock, front: () => 'two' });
    tty.type(ESC);
    expect(await turns[1]).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    expect(registry.open('one').controller.state).toBe('running');
    await registry.cancelAll();
    await registry.drain({ timeoutMs: 0 });
  });

  it('needs to be told which is in front, by a name', () => {
    watch();
    const registry = new SessionRegistry({ clock });
    expect(() => watchTerminal(registry as never, { input: tty })).toThrow('with the option front');
    expect(() => watchTerminal(sessions, { input: tty, front: () => 7 as never })).toThrow(
      'front() must give a session or its id, got 7',
    );
  });

  it('reports a stop that was refused, and goes on', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const broken = { ...sessions, cancel: () => Promise.reject(new Error('bus down')) };
    terminal = watchTerminal(broken, { input: tty, clock, front: () => 'one' });
    tty.type(ESC);
    await eventually(() => expect(told).toHaveBeenCalledOnce());
    told.mockRestore();
  });
});

describe('with an InterruptController', () => {
  it('ends the turn as cancelled by the user, and swallows the ESC that comes too late', async () => {
    const controller = new InterruptController({ name: 'main', clock });
    const idle = vi.fn(() => true);
    terminal = watchTerminal(controller, { input: tty, clock });
    terminal.handle(idle, { priority: -100 });
    const started = deferred();
    const report = controller.runTurn(async (turn) => {
      started.resolve();
      await turn.token.whenCancelled();
      turn.checkpoint();
    });
    await started.promise;
    tty.type(ESC);
    expect(await report).toMatchObject({ status: 'cancelled', reason: { kind: 'user', message: 'User cancelled' } });
    tty.type(ESC);
    expect(idle).not.toHaveBeenCalled();
    clock.advanceSync(400);
    tty.type(ESC);
    expect(idle).toHaveBeenCalledOnce();
    await controller.close();
  });
});

describe('close', () => {
  it('restores the terminal and takes every handler along', async () => {
    const handler = vi.fn();
    watch();
    const other = watchTerminal(new FakeController(), { input: tty, clock });
    terminal.handle(handler);
    await terminal.close();
    tty.type('a');
    expect(handler).not.toHaveBeenCalled();
    expect(tty.isRaw).toBe(true); // the other one still watches
    await other[Symbol.asyncDispose]();
    expect(tty.isRaw).toBe(false);
  });

  it('may come twice, and works off the object', async () => {
    const { close, handle, prompt, takeTypeAhead } = watch();
    handle(() => true).release();
    await prompt(() => undefined);
    takeTypeAhead();
    await close();
    await close();
    expect(tty.isRaw).toBe(false);
  });
});

describe('watchTerminal', () => {
  it('refuses what cannot be stopped', () => {
    watch();
    expect(() => watchTerminal(null as never, { input: tty })).toThrow(
      new TypeError('target must be an object, got null'),
    );
    expect(() => watchTerminal({ state: 'idle', cancel: () => undefined } as never, { input: tty })).toThrow(
      'target.kill must be a function',
    );
    expect(() => watchTerminal(agent, { input: tty, doubleMs: Number.NaN })).toThrow(RangeError);
  });
});
