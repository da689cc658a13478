/**
 * The gate between an agent's output and the screen: holds it while a person types, mutes it when its turn is cancelled,
 * and keeps rows below it that it cannot run into.
 *
 * Prior art: `log-update` and readline, which own the screen and do not share it.
 *
 * @module
 */
import type { Writable } from 'node:stream';

import {
  CancellationToken,
  type OptionNames,
  type Releasable,
  requireFunction,
  requireOptions,
  show,
  type TokenLike,
} from '../../../core/inside.ts';
import type { ScreenSize } from './cursor-tracker.ts';
import { onProcessEnd } from '../../internal/process/process-hooks.ts';
import { HeldOutput } from './held-output.ts';
import { pieces, Screen, type RenderFooter } from './screen.ts';
import { TurnOutput } from './turn-output.ts';

/**
 * What of a stream the gate uses; `process.stdout` and `process.stderr` fit.
 *
 * @since 0.1.0
 */
export interface TerminalOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** Passes a chunk on; `false` asks to wait for `drain`. */
  write(chunk: string | Uint8Array): boolean;
  /** Subscribes. */
  on(event: 'drain' | 'close' | 'resize' | 'error', listener: () => void): unknown;
  /** Unsubscribes. */
  removeListener(event: 'drain' | 'close' | 'resize' | 'error', listener: () => void): unknown;
}

/**
 * Options of {@link createOutputGate}.
 *
 * @since 0.1.0
 */
export interface OutputGateOptions {
  /** So many characters of output are held at most, besides what each stream buffers; then its writers wait. Default 1,048,576. */
  readonly holdLimit?: number | undefined;
}

/**
 * Rows of yours below the output.
 *
 * @since 0.1.0
 */
export interface OutputFooter extends Releasable {
  /** Draws the rows anew. */
  update(): void;
}

/**
 * A screen that an agent, a status line and a prompt share. Every function may be taken off the object.
 *
 * @cleanup `close()` takes the footers away and leaves no listener; what somebody still holds is shown when they release it.
 * @since 0.1.0
 */
export interface OutputGate {
  /** The stream is no terminal, or a dumb one: nothing is held, no footer is drawn, no byte is added. */
  readonly degraded: boolean;
  /** Whether output waits for somebody's `release()`. */
  readonly isHeld: boolean;
  /**
   * The way to the screen for the model and the tools of one turn. From the cancel of the token on, not one byte of it
   * is shown, also of what was held; writing to it still succeeds.
   *
   * @param token The turn's; without one, the stream is never muted.
   * @returns A stream; one per turn.
   * @throws TypeError – no token and no signal.
   */
  stream(token?: TokenLike | null): Writable;
  /** Writes text of the program's own where the output stands, also while output is held or muted: a prompt. */
  write(text: string): void;
  /** Writes a line of the program's own, beginning on a new row if the output stands within one: a receipt. */
  writeLine(text: string): void;
  /**
   * Says that somebody else has written, and that the cursor stands at the begin of an empty row, as it does after a
   * prompt was answered. A watcher with the option `inject` says so of its own prompts.
   */
  atNewLine(): void;
  /** Holds the output of all streams, until everybody who asked for it has released. */
  hold(): Releasable;
  /**
   * Keeps rows below the output, the newest lowest; the output goes on above them.
   *
   * @param render Says what to show: rows without line breaks, shorter than the screen is wide.
   * @returns Draws them anew, or takes them away.
   * @throws TypeError – no function.
   */
  openFooter(render: RenderFooter): OutputFooter;
  /** Gives the screen back. */
  close(): void;
}

const HOLD_LIMIT = 1_048_576;

function sizeOf({ columns = 80, rows = 24 }: TerminalOutput): ScreenSize {
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}

/**
 * Puts a gate before a terminal's output. Everything that is shown must go through it: what is written past it, the
 * gate does not know of.
 *
 * Widths are counted as most terminals do, one code point after the other. A terminal that draws a joined emoji
 * narrower is off by that until the next line break.
 *
 * @fairness Output of several streams is shown in the order it was written; lines of the program's own go first.
 * @cleanup `close()` leaves no listener at the stream.
 * @param output Default `process.stdout`.
 * @param options How much is held.
 * @returns The gate; one per stream.
 * @throws TypeError – no stream, an option that is not known, or a limit that is no number. RangeError – a limit below 0.
 * @example A cancelled turn is not heard any more
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { createOutputGate } from 'desist/terminal'
 * import { PassThrough } from 'node:stream'
 *
 * const screen = new PassThrough({ encoding: 'utf8' }) // a program says process.stdout, or nothing
 * const gate = createOutputGate(screen)
 * const turn = new CancellationTokenSource()
 * const output = gate.stream(turn.token)
 * output.write('Once upon a ')
 * turn.cancel()
 * output.write('time')
 * gate.writeLine('Cancelled.')
 * screen.read() // => 'Once upon a \nCancelled.\n'
 * ```
 * @source `log-update`; readline
 * @since 0.1.0
 */
export function createOutputGate(output: TerminalOutput = process.stdout, options: OutputGateOptions = {}): OutputGate {
  requireFunction('output.write', Reflect.get(Object(output) as object, 'write'));
  requireFunction('output.on', Reflect.get(output, 'on'));
  requireOptions(options, { holdLimit: 1 } satisfies OptionNames<OutputGateOptions>);
  const limit = requireLimit(options.holdLimit ?? HOLD_LIMIT);
  const degraded = output.isTTY !== true || process.env['TERM'] === 'dumb';
  const screen = new Screen(
    () => sizeOf(output),
    (text) => isGone || output.write(text),
  );
  const held = new HeldOutput(
    limit,
    (source, text) => {
      const from = source as TurnOutput;
      if (from.isMuted) return true;
      lastWriter = from;
      return waitIfFull(screen.write(from.split(text)));
    },
    (fn) => onProcessEnd('show the rest of the output', fn, 'terminal'),
  );
  let lastWriter: TurnOutput | undefined;
  let holds = 0;
  let isFull = false;
  let closed = false;
  let isGone = false;
  let isWithinLine = false;
  let waiting: (() => void)[] = [];

  /** The queue stops by itself when it hears `false`; the stream's `drain` starts it again. */
  function waitIfFull(goesOn: boolean): boolean {
    // Nobody hears of `drain` any more once the gate is closed.
    if (goesOn || closed) return true;
    isFull = true;
    return false;
  }
  const onDrain = (): void => {
    const writers = waiting;
    waiting = [];
    for (const done of writers) done();
    if (!isFull) return;
    isFull = false;
    held.resume();
  };
  const onResize = (): void => {
    screen.resized();
  };
  /** A terminal that has hung up: what is written to it would end the program. */
  const onGone = (): void => {
    isGone = true;
    onDrain();
  };
  output.on('drain', onDrain);
  output.on('close', onDrain);
  if (!degraded) {
    output.on('resize', onResize);
    output.on('error', onGone);
  }

  /** Where there is no screen, bytes go on as they are. */
  function passOn(chunk: string | Uint8Array): boolean {
    if (chunk.length > 0) isWithinLine = chunk.at(-1) !== '\n' && chunk.at(-1) !== 0x0a;
    return output.write(chunk);
  }

  const sink = {
    ...(degraded && {
      pass: (chunk: string | Uint8Array, done: () => void): void => {
        if (passOn(chunk) || closed) done();
        else waiting.push(done);
      },
    }),
    add: (source: TurnOutput, text: string, done: () => void): void => {
      held.add({ source, text, done });
    },
    mute: (source: TurnOutput): void => {
      held.drop(source);
      if (lastWriter === source) screen.leaveStyle();
    },
  };

  function once(fn: () => void): Releasable {
    let open = true;
    return {
      release: () => {
        if (open) fn();
        open = false;
      },
    };
  }

  return {
    degraded,
    get isHeld() {
      return holds > 0;
    },
    stream: (token) => new TurnOutput(CancellationToken.from(token), sink).stream,
    write: (text) => {
      requireText(text);
      if (degraded) passOn(text);
      else screen.write(pieces(text));
    },
    writeLine: (text) => {
      requireText(text);
      if (degraded) passOn(`${isWithinLine ? '\n' : ''}${text}\n`);
      else screen.writeLine(text);
    },
    atNewLine: () => {
      isWithinLine = false;
      screen.atNewLine();
    },
    hold: () => {
      if (degraded) return once(() => undefined);
      holds++;
      held.stop();
      return once(() => {
        holds--;
        held.resume();
      });
    },
    openFooter: (render) => {
      requireFunction('render', render);
      if (degraded) return { update: () => undefined, release: () => undefined };
      screen.addFooter(render);
      return {
        update: () => {
          screen.redraw();
        },
        ...once(() => {
          screen.removeFooter(render);
        }),
      };
    },
    close: () => {
      if (closed) return;
      closed = true;
      screen.clearFooters();
      output.removeListener('drain', onDrain);
      output.removeListener('close', onDrain);
      output.removeListener('resize', onResize);
      output.removeListener('error', onGone);
      onDrain(); // writers that wait for a full screen would wait for ever
    },
  };
}

function requireLimit(limit: unknown): number {
  if (typeof limit !== 'number' || Number.isNaN(limit)) {
    throw new TypeError(`holdLimit must be a number of characters, got ${show(limit)}`);
  }
  if (limit < 0) throw new RangeError(`holdLimit must be 0 or more characters, got ${String(limit)}`);
  return limit;
}

function requireText(text: unknown): void {
  if (typeof text !== 'string') throw new TypeError(`text must be a string, got ${show(text)}`);
}
