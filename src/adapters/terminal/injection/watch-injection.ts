/**
 * A line that a person opens while the agent works: the output is held, the line is read below it, and what was typed
 * becomes an interjection of the running turn.
 *
 * Invariants:
 * - **N1** One line at a time. While it is open every key is the line's; ESC and Ctrl+C close it and cancel nothing.
 * - **N2** What was typed is delivered, or handed back; it is never lost, also when the turn ended meanwhile.
 * - **N3** However the line ends, the output goes on.
 *
 * Prior art: `btw` prompts of coding agents.
 *
 * @module
 */
import {
  type Interjection,
  isObject,
  type OptionNames,
  type Releasable,
  requireFunction,
  requireOneOf,
  requireOptions,
  show,
} from '../../../core/inside.ts';
import type { KeyEvent } from '../../internal/keyboard/decoder/key-decoder.ts';
import type { KeyHandler } from '../../internal/keyboard/key-stack.ts';
import { lineLeft } from '../line-editor/line-rows.ts';
import { readLine as ownReadLine, type ReadLine } from '../line-editor/read-line.ts';
import type { OutputGate } from '../output/output-gate.ts';
import { inTurn, keepForPrompt } from './line-turns.ts';

/**
 * Whose running turn a line goes to; an `InterruptController` is one.
 *
 * @since 0.1.0
 */
export interface InjectionTarget<M> {
  readonly state: 'idle' | 'running' | 'interjecting' | 'cancelling' | 'killing';
  /** Gives the running turn a message. */
  interject(message: M, options?: { readonly delivery?: Interjection['delivery'] | undefined }): Interjection<M>;
}

/**
 * What of a watched terminal is used; a `TerminalWatcher` fits.
 *
 * @since 0.1.0
 */
export interface InjectionKeys {
  /** Sees keys in the order of priorities. */
  handle(fn: KeyHandler, options: { readonly priority: number }): Releasable;
  readonly gate: {
    /** While a prompt is open, the key is the prompt's. */
    readonly isWaitingInput?: boolean | undefined;
    /** Counts a prompt in. */
    enter(): void;
    /** Counts it out. */
    exit(): void;
  };
}

/**
 * Options of {@link watchInjection}.
 *
 * @since 0.1.0
 */
export interface InjectionOptions<M> {
  /** The screen, which the agent's output must go through. */
  readonly output: OutputGate;
  /** Opens the line while a turn runs; one key without modifiers. Default the backtick. */
  readonly key?: string | undefined;
  /** Default `inject> `. */
  readonly prompt?: string | undefined;
  /** What a submitted line leaves on the screen: a line of its own, or nothing. Default `transcript`. */
  readonly leave?: 'transcript' | 'erase' | undefined;
  /** When it is to reach the model. Default `next-model-call`. */
  readonly delivery?: Interjection['delivery'] | undefined;
  /** Another editor. */
  readonly readLine?: ReadLine | undefined;
  /** Puts what was typed into a message. By default the text is the message. */
  readonly toMessage?: ((text: string) => M) | undefined;
  /**
   * Told of a line that no model call saw, because the turn was cancelled or had ended: the text as it was typed, to put
   * into the next prompt. Without it the text counts as typed ahead, and so does that of a line that the person has closed; with keys
   * that are no watcher's, this is told of both.
   */
  readonly onUndelivered?: ((text: string) => void) | undefined;
}

/**
 * A key that opens a line.
 *
 * @cleanup `release()` takes the key away, and closes a line that is open as ESC does. So does the watcher's `close()`.
 * @since 0.1.0
 */
export interface Injection extends Releasable {
  /** Whether the line is open. */
  readonly isOpen: boolean;
  /** Opens it as the key does; nothing happens if it is open, or a prompt is. */
  open(): void;
}

const optionNames: OptionNames<InjectionOptions<unknown>> = {
  output: 1,
  key: 1,
  prompt: 1,
  leave: 1,
  delivery: 1,
  readLine: 1,
  toMessage: 1,
  onUndelivered: 1,
};

/** What a person presses who no longer wants to. */
const close: KeyEvent = {
  type: 'key',
  name: 'escape',
  text: '',
  ctrl: false,
  alt: false,
  shift: false,
  super: false,
  repeat: false,
};

/** Before everything else on the screen. */
const PRIORITY = 100;

/**
 * Lets a person talk to an agent that works: a key opens a line below the output, Enter sends it to the running turn.
 *
 * The output is held while the line is open and goes on unchanged afterwards. A pasted text of several lines is shown
 * with a mark for each line break and sent whole. That the model has seen it is the event `interjection-delivered` of
 * the controller. Give the model `PRIORITY_INSTRUCTION` in its system prompt.
 *
 * @checkpoint never
 * @fairness The line has priority 100: it gets a key before every handler of lower priority, and before the cancel.
 * @cleanup `release()`.
 * @param terminal The watched keyboard.
 * @param agent Whose turn it goes to.
 * @param options The screen, and how it looks.
 * @returns The open key.
 * @throws TypeError – something that is no watcher, controller or gate, or an option that is not known or of the wrong
 * type.
 * @example Hand the running turn a message
 * ```ts
 * import { InterruptController } from 'desist'
 * import { createOutputGate, watchInjection, watchTerminal } from 'desist/terminal'
 * import { PassThrough } from 'node:stream'
 *
 * const agent = new InterruptController({ name: 'main' })
 * const terminal = watchTerminal(agent, { input: new PassThrough() }) // leave `input` out in a program
 * const output = createOutputGate(new PassThrough()) // and this stream
 * const injection = watchInjection(terminal, agent, { output })
 * injection.isOpen // => false
 * injection.release()
 * await terminal.close()
 * ```
 * @source prompts of coding agents
 * @since 0.1.0
 */
export function watchInjection<M = string>(
  terminal: InjectionKeys,
  agent: InjectionTarget<M>,
  options: InjectionOptions<M>,
): Injection {
  requireMethod('terminal', terminal, 'handle');
  requireMethod('agent', agent, 'interject');
  requireOptions(options, optionNames);
  const { output, key = '`', prompt = 'inject> ', delivery, onUndelivered } = options;
  requireMethod('options.output', output, 'openFooter');
  const leave = requireOneOf('leave', options.leave ?? 'transcript', ['transcript', 'erase'] as const);
  const readLine = options.readLine ?? ownReadLine;
  const toMessage = options.toMessage ?? ((text: string) => text as M);
  requireFunction('readLine', readLine);
  requireFunction('toMessage', toMessage);
  if (onUndelivered !== undefined) requireFunction('onUndelivered', onUndelivered);
  if (typeof key !== 'string' || key === '') throw new TypeError(`key must be the name of a key, got ${show(key)}`);
  if (typeof prompt !== 'string') throw new TypeError(`prompt must be a string, got ${show(prompt)}`);

  let listener: ((event: KeyEvent) => unknown) | undefined;
  let isOpen = false;
  let isReading = false;
  let keys: Releasable | undefined;
  let endWithoutKeys: () => void = () => undefined;

  async function send(text: string): Promise<void> {
    if (leave === 'transcript') output.writeLine(prompt + lineLeft(text));
    const message = agent.interject(toMessage(text), { delivery });
    // Without a word where it is known by now: a prompt that waits for this line may want the text.
    const end = message.status === 'queued' ? await message.settled : message.status;
    if (end !== 'undelivered') return;
    if (onUndelivered === undefined) keepForPrompt(terminal.gate, text);
    else onUndelivered(text);
  }

  /** N2: of a line that was closed. It was not sent, so nobody may send it but the person. */
  function giveBack(text: string): void {
    if (text.trim() !== '' && !keepForPrompt(terminal.gate, text)) onUndelivered?.(text);
  }

  /** Every key is the line's, also one that began to come while it was open. */
  const onKey: KeyHandler = (event) => {
    if (event.type !== 'key' && event.type !== 'paste') return false;
    if (listener?.(event) === true) letGo();
    return true;
  };

  /** The keyboard is given back with the last key of the line: what is typed behind it is not the line's any more. */
  function letGo(): void {
    if (!isOpen) return;
    isOpen = false;
    listener = undefined;
    keys?.release();
    terminal.gate.exit();
  }

  /** N3: nobody can finish a line whose keys do not come any more. */
  function closeLine(): void {
    if (listener === undefined) return; // its editor reads elsewhere
    try {
      listener(close);
    } catch (error) {
      report(error);
    }
    letGo();
    endWithoutKeys();
  }

  async function open(): Promise<void> {
    isOpen = true;
    const hold = output.hold();
    terminal.gate.enter();
    keys = terminal.handle(onKey, { priority: PRIORITY });
    let text: string | undefined;
    try {
      text = await new Promise<string | undefined>((resolve, reject) => {
        endWithoutKeys = () => {
          resolve(undefined);
        };
        Promise.resolve(readLine({ prompt, output, onKey: (fn) => (listener = fn), giveBack })).then(resolve, reject);
      });
    } finally {
      letGo();
      isReading = false;
      if (text !== undefined && text.trim() !== '') send(text).catch(report);
      hold.release();
    }
  }

  function start(): void {
    if (isReading || output.degraded || terminal.gate.isWaitingInput) return;
    isReading = true;
    inTurn(terminal.gate, open, closeLine).catch(report);
  }

  const handler = terminal.handle(
    (event) => {
      if (event.type !== 'key' || event.name !== key || event.ctrl || event.alt || event.super) return false;
      if (agent.state === 'idle' || output.degraded || terminal.gate.isWaitingInput) return false;
      start();
      return true;
    },
    { priority: PRIORITY },
  );

  return {
    get isOpen() {
      return isOpen;
    },
    open: start,
    release: () => {
      closeLine();
      handler.release();
    },
  };
}

function report(error: unknown): void {
  // eslint-disable-next-line no-console -- code of theirs has failed, and there is no caller to tell
  console.error('desist: a line for the running turn was not sent:', error);
}

function requireMethod(name: string, value: unknown, method: string): void {
  if (!isObject(value)) throw new TypeError(`${name} must be an object, got ${show(value)}`);
  requireFunction(`${name}.${method}`, Reflect.get(value, method));
}
