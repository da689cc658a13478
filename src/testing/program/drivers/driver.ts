/**
 * How a program is spoken to, whatever it is spoken to through: the buttons that a person has, and what a person sees.
 *
 * @module
 */
import type { ProgramProfile } from '../profile.ts';
import type { Patience } from '../stage/patience.ts';
import type { KeptOutput } from './kept-output.ts';
import type { PseudoTerminals } from '../outside/pseudo-terminal.ts';

/** How a program ended. */
export interface ProgramEnd {
  /** The exit code; of a program that a signal ended 128 and the signal's number, as a shell says it. */
  readonly code: number;
  /** When, epoch ms. */
  readonly at: number;
}

/** What is left of a terminal once its program has ended. */
export interface TerminalLeft {
  /** Modes of the screen that nobody has switched off. */
  readonly modes: readonly string[];
  /** What of the line discipline (`stty`) is not as it was before; `undefined` if it cannot be asked any more. */
  readonly line: readonly string[] | undefined;
  /** The path of the terminal. */
  readonly path: string;
}

/** A running program. */
export interface Driver {
  /** The program's own process; `undefined` before it has one. */
  pid(): Promise<number | undefined>;
  /** What a person sees. */
  readonly screen: string;
  /** What it has written so far, as it came, and as much of it as is kept. */
  readonly output: Pick<KeptOutput, 'text' | 'total' | 'since'>;
  /** How it ended; `undefined` while it runs. */
  readonly end: ProgramEnd | undefined;
  /** Whether a person can say something more: it runs, or can be taken up again. */
  readonly canGoOn: boolean;
  /** What has become of the prompt before, where the protocol has an answer for it: how that ends, or nothing yet. */
  readonly answer?: { readonly how: string | undefined } | undefined;
  /** What its protocol calls the conversation, if it can load that again. */
  readonly session?: string | undefined;
  /** Waits until it can be spoken to; `false` if that did not come, on a machine of usual speed within the limit. */
  ready(limitMs: number): Promise<boolean>;
  /** Says something; `false` if what was typed was not seen before it was submitted. */
  say(text: string): Promise<boolean>;
  /** Presses single keys; a program without a terminal has none. */
  press(keys: readonly string[]): Promise<void>;
  /** Presses stop; resolves with the instant of the first key, epoch ms. */
  stop(): Promise<number>;
  /** Asks it to leave, as a person would. */
  quit(): Promise<void>;
  /** Its window is closed; `false` if it has none. */
  hangUp(): boolean;
  /** What is left by now, once it has ended; `undefined` without a terminal. */
  terminalLeft(): Promise<TerminalLeft | undefined>;
  /** Ends it. */
  close(): Promise<void>;
}

/** What a driver is started with. */
export interface DriverStart {
  readonly profile: ProgramProfile;
  /** Filled in. */
  readonly command: readonly string[];
  /** The conversation that is loaded again, of a driver that had one. */
  readonly session?: string | undefined;
  /** Filled in, for one prompt in a program that takes one and ends. */
  readonly commandFor: (prompt: string, isFirst: boolean) => readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A folder for notes of the driver's own. */
  readonly notes: string;
  readonly terminals: PseudoTerminals | undefined;
  /** Its cancellation ends every wait, but for that of the end. */
  readonly patience: Patience;
  /** A script of an MCP server that a client may offer. */
  readonly mcp: string;
}
