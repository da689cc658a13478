/**
 * Readers of one keyboard each, as programs use them: ours, Node's readline, Ink's `useInput`. Each says which of the keys
 * that stop an agent it has heard.
 *
 * @module
 */
import { VirtualClock } from 'desist/testing';
import { watchTerminal } from 'desist/terminal';
import { EventEmitter } from 'node:events';
import { emitKeypressEvents, type Interface, type Key } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** A key that stops. */
export type StopKey = 'escape' | 'ctrl+c';

/** One reader at one keyboard. */
export interface Reader {
  /** Bytes arrive; whatever is fed before the next silence comes within the reader's own time-out. */
  feed(chunk: Uint8Array): void;
  /** Takes what was heard up to here. */
  take(): StopKey[];
}

/** Many of one kind, which share their silences: real time passes for all of them at once. */
export interface Readers {
  readonly name: string;
  /** How many of them are read at once. */
  readonly keyboards: number;
  open(): Reader;
  /** Nothing arrives for longer than the readers wait. */
  silence(): Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A list that is taken. */
class Heard {
  #keys: StopKey[] = [];
  add(key: StopKey): void {
    this.#keys.push(key);
  }
  take(): StopKey[] {
    const keys = this.#keys;
    this.#keys = [];
    return keys;
  }
}

/** A keyboard: what a terminal's input is, without the terminal. */
class Keyboard extends EventEmitter {
  readonly isTTY = true;
  setRawMode(): this {
    return this;
  }
  setEncoding(): this {
    return this;
  }
  resume(): this {
    return this;
  }
  pause(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

export function ours(): Readers {
  const clock = new VirtualClock();
  return {
    name: 'desist',
    keyboards: 10, // its silences take no time
    open: () => {
      const [keyboard, heard] = [new Keyboard(), new Heard()];
      const agent = { cancel: () => undefined, kill: () => undefined };
      const terminal = watchTerminal(agent, { input: keyboard, output: new PassThrough(), clock, escTimeoutMs: 50 });
      terminal.handle((event) => {
        if (event.type !== 'key' || event.alt) return true;
        if (event.name === 'escape') heard.add('escape');
        if (event.name === 'c' && event.ctrl) heard.add('ctrl+c');
        return true;
      });
      return { feed: (chunk) => keyboard.emit('data', chunk), take: () => heard.take() };
    },
    silence: async () => {
      await clock.advance(50);
      await pause(1); // and the poll of the loop that follows the time-out
    },
  };
}

export function readline(): Readers {
  return {
    name: 'Node’s readline',
    keyboards: 500,
    open: () => {
      const [keyboard, heard] = [new Keyboard(), new Heard()];
      // Only the scale of its time-out is ours: half a second is what makes it slow, not what makes it wrong.
      emitKeypressEvents(
        keyboard as unknown as NodeJS.ReadableStream,
        { escapeCodeTimeout: 1 } as unknown as Interface,
      );
      keyboard.on('keypress', (_text: string | undefined, key: Key) => {
        if (key.name === 'escape') heard.add('escape');
        if (key.name === 'c' && key.ctrl === true) heard.add('ctrl+c');
      });
      return { feed: (chunk) => keyboard.emit('data', chunk), take: () => heard.take() };
    },
    silence: () => pause(10),
  };
}

/** A keyboard that is read as Ink does: whole texts, when it says that there are some. */
class ReadKeyboard extends Keyboard {
  readonly #decoder = new StringDecoder('utf8');
  #waiting: string | null = null;
  read(): string | null {
    const text = this.#waiting;
    this.#waiting = null;
    return text;
  }
  arrive(chunk: Uint8Array): void {
    const text = this.#decoder.write(chunk);
    if (text === '') return;
    this.#waiting = text;
    this.emit('readable');
  }
}

/** Needs Node 22. */
export async function ink(): Promise<Readers> {
  const [{ render, useInput, usePaste }, { createElement }] = await Promise.all([import('ink'), import('react')]);
  return {
    name: 'Ink 8',
    keyboards: 500,
    open: () => {
      const [keyboard, heard] = [new ReadKeyboard(), new Heard()];
      function Listener(): null {
        useInput((text, key) => {
          if (key.escape) heard.add('escape');
          if (text === 'c' && key.ctrl) heard.add('ctrl+c');
        });
        usePaste(() => undefined);
        return null;
      }
      render(createElement(Listener), {
        stdin: keyboard as unknown as NodeJS.ReadStream,
        stdout: new Screen() as unknown as NodeJS.WriteStream,
        exitOnCtrlC: false,
        patchConsole: false,
      });
      return {
        feed: (chunk) => {
          keyboard.arrive(chunk);
        },
        take: () => heard.take(),
      };
    },
    silence: () => pause(30), // it waits 20
  };
}

class Screen extends Writable {
  readonly columns = 80;
  readonly rows = 24;
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}
