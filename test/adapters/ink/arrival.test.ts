import { EventEmitter } from 'node:events';

import * as ink from 'ink';
import react from 'react';
import { afterEach, describe, expect, it } from 'vitest';

import { inkInterrupts } from '../../../src/adapters/ink/index.ts';
import { InterruptController } from '../../../src/index.ts';
import { eventually } from '../../support/eventually.ts';

const { InterruptProvider, useInterrupt, useKey, usePrompt } = inkInterrupts({ react, ink });
const h = react.createElement;

/** A terminal's input as Ink reads it, as that of ink-testing-library: what is written is there to be read, and told as data. */
class Keys extends EventEmitter {
  readonly isTTY = true;
  #data: string | null = null;
  write(text: string): void {
    this.#data = text;
    this.emit('readable');
    this.emit('data', text);
  }
  read(): string | null {
    const data = this.#data;
    this.#data = null;
    return data;
  }
  setEncoding(): void {
    // It is text already.
  }
  setRawMode(): void {
    // There is none.
  }
  resume(): this {
    return this;
  }
  pause(): this {
    return this;
  }
  ref(): void {
    // Holds nothing.
  }
  unref(): void {
    // Holds nothing.
  }
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
let unmount: () => void;

/** Draws a component; the ESC timeout is one that a test can wait for. */
async function draw(
  component: () => react.ReactElement | null,
  isStrict: boolean,
  onFrame: (frame: string) => void = () => undefined,
): Promise<Keys> {
  const keys = new Keys();
  const write = (frame: string): boolean => {
    onFrame(frame);
    return true;
  };
  const stdout = Object.assign(new EventEmitter(), { columns: 60, write });
  let isHeard = false;
  function Probe(): null {
    useKey(() => {
      isHeard = true;
      return false;
    });
    return null;
  }
  const app = h(InterruptProvider, { escTimeoutMs: 1 }, h(component), h(Probe));
  const screen = ink.render(isStrict ? h(react.StrictMode, null, app) : app, {
    stdout: stdout as never,
    stdin: keys as never,
    debug: true,
    patchConsole: false,
    exitOnCtrlC: false,
  });
  unmount = screen.unmount;
  await eventually(() => {
    keys.write('p');
    expect(isHeard).toBe(true);
  });
  return keys;
}

afterEach(() => {
  unmount();
});

describe.each([
  ['plainly', false],
  ['in StrictMode', true],
])('a component that is drawn %s', (_how, isStrict) => {
  it('keeps the ESC of a prompt that other useInput handlers close with it', async () => {
    const agent = new InterruptController();
    const turn = agent.runTurn(({ token }) => token.whenCancelled());
    let isOpen = true;
    function Prompt({ close }: { readonly close: () => void }): react.ReactElement {
      usePrompt(true);
      ink.useInput((_typed, key) => key.escape && close());
      return h(ink.Text, null, 'Allow?');
    }
    const keys = await draw(() => {
      const [open, setOpen] = react.useState(true);
      isOpen = open;
      useInterrupt(agent, { ctrlC: false });
      return open ? h(Prompt, { close: () => setOpen(false) }) : h(ink.Text, null, 'working');
    }, isStrict);
    keys.write('\x1b');
    await eventually(() => expect(isOpen).toBe(false));
    for (let turns = 0; turns < 20; turns++) await tick();
    keys.write('x'); // by now it is decided what the ESC was
    expect(agent.state).toBe('running');
    keys.write('\x1b[27u');
    expect((await turn).status).toBe('cancelled');
  });

  it('stops the run at an ESC from before the question, and shows the question', async () => {
    const agent = new InterruptController();
    const turn = agent.runTurn(({ token }) => token.whenCancelled());
    let ask = (_is: boolean): void => undefined;
    let isAsked = false;
    function Question(): react.ReactElement {
      usePrompt(true);
      useKey(() => true);
      isAsked = true;
      return h(ink.Text, null, 'Allow?');
    }
    const keys = await draw(() => {
      const [open, setOpen] = react.useState(false);
      ask = setOpen;
      useInterrupt(agent, { ctrlC: false });
      return open ? h(Question) : null;
    }, isStrict);
    keys.write('\x1b');
    ask(true);
    expect((await turn).status).toBe('cancelled');
    await eventually(() => expect(isAsked).toBe(true));
  });

  it('gives a key that answers a frame to what that frame shows, and to nothing that it shows no more', async () => {
    const agent = new InterruptController();
    const turn = agent.runTurn(({ token }) => token.whenCancelled());
    const frames: string[] = [];
    let taken = 0;
    let show = (_what: string): void => undefined;
    function List(): react.ReactElement {
      useKey((event) => event.type === 'key' && event.name === 'escape' && ++taken > 0);
      return h(ink.Text, null, 'a list');
    }
    function Question(): react.ReactElement {
      usePrompt(true);
      return h(ink.Text, null, 'a question');
    }
    let type = (_keys: string): void => undefined;
    const keys = await draw(
      () => {
        const [what, setWhat] = react.useState('nothing');
        show = setWhat;
        useInterrupt(agent, { ctrlC: false });
        return what === 'list' ? h(List) : what === 'question' ? h(Question) : h(ink.Text, null, what);
      },
      isStrict,
      (frame) => {
        if (frames.at(-1) === frame) return;
        frames.push(frame);
        // The fastest person: before anything else that the frame brought about.
        if (/a list|a question|the end/.test(frame)) process.nextTick(() => type('\x1b'));
      },
    );
    type = (text) => keys.write(text);
    const decided = async (): Promise<void> => {
      for (let turns = 0; turns < 20; turns++) await tick();
      keys.write('\x1b[I'); // by now it is decided what the ESC was
    };
    taken = 0;
    show('list');
    await eventually(() => expect(taken).toBe(1));
    await decided();
    show('question');
    await eventually(() => expect(frames.at(-1)).toContain('a question'));
    await decided();
    expect([agent.state, taken]).toEqual(['running', 1]);
    show('the end');
    expect((await turn).status).toBe('cancelled');
  });

  it('acts once for two components with the same agent, and a popup that goes in the middle keeps its key', async () => {
    const agent = new InterruptController();
    let cancels = 0;
    agent.onEvent(({ type }) => {
      if (type === 'interrupt-requested') cancels++;
    });
    const turn = agent.runTurn(({ token }) => token.whenCancelled());
    let close = (_is: boolean): void => undefined;
    let taken = 0;
    let isGone = false;
    function Popup(): react.ReactElement {
      useKey((event) => event.type === 'key' && event.name === 'escape' && ++taken > 0);
      react.useEffect(() => () => void (isGone = true), []);
      return h(ink.Text, null, 'package.json');
    }
    function Watcher(): react.ReactElement {
      useInterrupt(agent, { ctrlC: false });
      return h(ink.Text, null, 'watches');
    }
    const keys = await draw(() => {
      const [open, setOpen] = react.useState(true);
      close = setOpen;
      return h(ink.Box, null, open && h(Popup), h(Watcher), h(Watcher));
    }, isStrict);
    isGone = false; // StrictMode had it go once
    keys.write('\x1b');
    close(false); // unmounts it before anybody can know what the byte was
    await eventually(() => expect([taken, isGone]).toEqual([1, true]));
    expect(agent.state).toBe('running');
    keys.write('\x1b[27u');
    await turn;
    expect([taken, cancels]).toEqual([1, 1]);
  });
});

it('after the end of the program no listener of a signal is left', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGTSTP', 'SIGCONT', 'exit'];
  const count = (): number[] => signals.map((name) => process.listenerCount(name));
  const before = count();
  const agent = new InterruptController();
  const keys = await draw(() => {
    useInterrupt(agent);
    return h(ink.Text, null, 'works');
  }, false);
  expect(count()).not.toEqual(before);
  unmount();
  await eventually(() => expect(count()).toEqual(before));
  expect([keys.listenerCount('data'), keys.listenerCount('end')]).toEqual([0, 0]);
});
