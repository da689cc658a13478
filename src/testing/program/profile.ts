/**
 * What has to be known of a program before it can be checked from outside: how it is started, how it is spoken to, how it is
 * stopped, and what it promises. Declarative, so that a profile is JSON as well as TypeScript.
 *
 * @module
 */

import { constants } from 'node:os';
import { isAbsolute, normalize } from 'node:path';

/**
 * Promises that a profile can make. What every program owes its user is checked without one; for these designs differ, so what
 * breaks one is a note, and a failure only where the profile promises it.
 *
 * @since 0.1.0
 */
export type ProgramPromise =
  | 'tree-after-stop'
  | 'tree-after-quit'
  | 'tree-after-terminate'
  | 'tree-after-hangup'
  | 'tree-after-kill'
  | 'batch'
  | 'told'
  | 'screen';

/**
 * A program, as the check has to know it. In every text `{url}` is the model server, `{home}` and `{work}` are the program's empty
 * home and its working folder, `{node}` is the running Node, `{cwd}` is the folder in which the check was started and `{mcp}` is a deaf MCP server, a script for Node.
 *
 * @since 0.1.0
 */
export interface ProgramProfile {
  /** How the report calls it; by default the command's last part of the path. */
  readonly name?: string | undefined;
  /** The program and its arguments. `{prompt}` in one of them makes a program that takes one prompt and ends. */
  readonly command: readonly string[];
  /** Starts it again with the conversation of before; without it "stop, quit, resume" does not apply. */
  readonly resume?: readonly string[] | undefined;
  /** How it is asked for its version. */
  readonly version?: readonly string[] | undefined;
  /** Variables beside the given ones, which point the SDKs of all providers at the model server. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Files by their path in the home, or by an absolute one that begins with `{work}`; what is no text is written as JSON. */
  readonly files?: Readonly<Record<string, unknown>> | undefined;
  /**
   * How it is spoken to: by keys in a terminal, by lines on its standard input, or in the Agent Client Protocol. Default `terminal`; of
   * a program that takes one prompt and ends `lines`.
   */
  readonly through?: 'terminal' | 'lines' | 'acp' | undefined;
  /** A regular expression for the screen of a program that waits for a prompt; by default it is waited until it is quiet. */
  readonly ready?: string | undefined;
  /** Milliseconds to wait once it is ready. Default 0. */
  readonly settleMs?: number | undefined;
  /** Keys pressed before the first prompt, for example to leave a page of greetings. */
  readonly setup?: readonly string[] | undefined;
  /** Keys that stop it, pressed one after the other; without a terminal a signal's name. Default ESC, or `SIGINT`. */
  readonly stop?: readonly string[] | undefined;
  /** What submits a prompt. Default Return. */
  readonly submit?: string | undefined;
  /** Keys that leave it, one after the other. Default Ctrl+C twice. */
  readonly quit?: readonly string[] | undefined;
  /** Keys that allow a tool call, tried one after the other until the command runs. */
  readonly approve?: readonly string[] | undefined;
  /** The name of its tool that runs commands, where it is not found by its name and its schema. */
  readonly shell?: string | undefined;
  /** A tool of a deaf MCP server, and its input; without it, and without `{mcp}` in a file, that check does not apply. */
  readonly mcp?: { readonly tool: string; readonly input?: Readonly<Record<string, unknown>> | undefined } | undefined;
  /** What it promises beyond what every program owes. */
  readonly promises?: readonly ProgramPromise[] | undefined;
}

/** What the texts of a profile are filled with. */
export interface ProfilePlaces {
  readonly url: string;
  readonly home: string;
  readonly work: string;
  readonly mcp: string;
  readonly prompt?: string | undefined;
}

const promises: readonly ProgramPromise[] = [
  ...(['tree-after-stop', 'tree-after-quit', 'tree-after-terminate', 'tree-after-hangup', 'tree-after-kill'] as const),
  ...(['batch', 'told', 'screen'] as const),
];

const kinds = {
  name: 'text',
  command: 'texts',
  resume: 'texts',
  version: 'texts',
  env: 'pairs',
  files: 'table',
  through: 'text',
  ready: 'text',
  settleMs: 'number',
  setup: 'texts',
  stop: 'texts',
  submit: 'text',
  quit: 'texts',
  approve: 'texts',
  shell: 'text',
  mcp: 'table',
  promises: 'texts',
} as const satisfies Readonly<Record<keyof ProgramProfile, string>>;

const words = {
  text: 'a text',
  texts: 'a list of texts',
  table: 'an object',
  pairs: 'an object of texts',
  number: 'a number',
} as const;

function isOf(kind: keyof typeof words, value: unknown): boolean {
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'number') return typeof value === 'number' && Number.isFinite(value) && value >= 0;
  if (kind === 'texts') return Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return kind === 'table' || Object.values(value).every((one) => typeof one === 'string');
}

const show = (value: unknown): string => (value === undefined ? 'undefined' : JSON.stringify(value));

/**
 * Reads a profile, from a file of JSON or from a hurried hand.
 *
 * @param value What should be one.
 * @returns The same value.
 * @throws TypeError – a field that there is not, or one that is of another kind; RangeError – a word that is not known.
 * @since 0.1.0
 */
export function readProfile(value: unknown): ProgramProfile {
  if (!isOf('table', value)) throw new TypeError(`a profile must be an object, got ${show(value)}`);
  for (const [name, given] of Object.entries(value as object)) {
    if (!Object.hasOwn(kinds, name)) {
      throw new TypeError(`a profile has no ${show(name)}; it has ${Object.keys(kinds).join(', ')}`);
    }
    const kind = kinds[name as keyof typeof kinds];
    if (given !== undefined && !isOf(kind, given)) {
      throw new TypeError(`${name} of a profile must be ${words[kind]}, got ${show(given)}`);
    }
  }
  const profile = value as ProgramProfile;
  if ((profile.command as unknown) === undefined) {
    throw new TypeError('a profile must have a command: the program and its arguments');
  }
  for (const name of ['command', 'resume', 'version'] as const) checkCommand(name, profile[name]);
  checkWord('through', profile.through ?? 'terminal', ['terminal', 'lines', 'acp']);
  if (takesOnePrompt(profile)) checkWord('through, with {prompt} in its command,', throughOf(profile), ['lines']);
  for (const promise of profile.promises ?? []) checkWord('promises', promise, promises);
  checkStop(profile);
  for (const path of Object.keys(profile.files ?? {})) checkPath(path);
  checkMcp(profile.mcp);
  if (profile.ready !== undefined) readyPattern(profile.ready);
  return profile;
}

/** Whether every prompt is a program of its own. */
export function takesOnePrompt({ command }: Pick<ProgramProfile, 'command'>): boolean {
  return command.some((word) => word.includes('{prompt}'));
}

/** How it is spoken to. */
export function throughOf(profile: Pick<ProgramProfile, 'command' | 'through'>): 'terminal' | 'lines' | 'acp' {
  return profile.through ?? (takesOnePrompt(profile) ? 'lines' : 'terminal');
}

function checkCommand(name: string, command: readonly string[] | undefined): void {
  if (command === undefined || (command[0] ?? '') !== '') return;
  throw new TypeError(`a profile must have a ${name}: the program and its arguments, got ${show(command)}`);
}

/** A stop that is nobody's is none: the program would be blamed for it. */
function checkStop(profile: ProgramProfile): void {
  const { stop } = profile;
  if (stop === undefined) return;
  const through = throughOf(profile);
  if (through === 'acp') throw new RangeError(`stop of a profile is the protocol's own through acp, got ${show(stop)}`);
  if (stop.length === 0) throw new RangeError('stop of a profile must have a key or a signal, got []');
  const signals = Object.keys(constants.signals);
  for (const word of stop) {
    if (through === 'terminal' ? word !== '' : signals.includes(word)) continue;
    const wanted = through === 'terminal' ? 'keys' : 'signals, as SIGINT,';
    throw new RangeError(`stop of a profile must be ${wanted} got ${show(word)}`);
  }
}

/** Nothing is written outside of what the check makes for the program. */
function checkPath(path: string): void {
  const inside = path.replace(/^\{(?:work|home)\}\//, '');
  const isInside = !isAbsolute(inside) && !/^(?:~|\.\.)(?:\/|$)/.test(normalize(inside));
  if (isInside && inside !== '') return;
  throw new RangeError(`files of a profile must be in the home, or begin with {work}/, got ${show(path)}`);
}

function checkMcp(mcp: ProgramProfile['mcp']): void {
  if (mcp === undefined) return;
  if (typeof mcp.tool !== 'string') throw new TypeError(`mcp of a profile must name a tool, got ${show(mcp)}`);
  if (mcp.input === undefined || isOf('table', mcp.input)) return;
  throw new TypeError(`input of mcp of a profile must be an object, got ${show(mcp.input)}`);
}

function checkWord(name: string, word: string, known: readonly string[]): void {
  if (known.includes(word)) return;
  throw new RangeError(`${name} of a profile must be of ${known.join(', ')}, got ${show(word)}`);
}

/** The pattern of a screen that waits for a prompt. */
export function readyPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    throw new RangeError(`ready of a profile must be a regular expression, got ${show(text)}`, { cause: error });
  }
}

/** Puts what is known into a text, or into every text of a value. */
export function fillIn<T>(value: T, places: ProfilePlaces): T {
  const known = new Map<string, string | undefined>(
    Object.entries({ ...places, node: process.execPath, cwd: process.cwd() }),
  );
  const fill = (given: unknown): unknown => {
    if (typeof given === 'string')
      return given.replace(/\{(\w+)\}/g, (whole, name: string) => known.get(name) ?? whole);
    if (Array.isArray(given)) return given.map(fill);
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([key, one]) => [fill(key), fill(one)]));
  };
  return fill(value) as T;
}

/** The environment of a program: nothing of ours but the path, every provider at the model server, no telemetry. */
export function environmentOf(profile: ProgramProfile, places: ProfilePlaces): Readonly<Record<string, string>> {
  const v1 = `${places.url}/v1`;
  return {
    HOME: places.home,
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    USER: 'check',
    TMPDIR: `${places.home}/tmp`,
    XDG_CONFIG_HOME: `${places.home}/.config`,
    XDG_DATA_HOME: `${places.home}/.local/share`,
    XDG_CACHE_HOME: `${places.home}/.cache`,
    DO_NOT_TRACK: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    OTEL_SDK_DISABLED: 'true',
    NO_UPDATE_NOTIFIER: '1',
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: places.url,
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: v1,
    OPENAI_API_BASE: v1,
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: places.url,
    OLLAMA_HOST: places.url,
    ...fillIn(profile.env ?? {}, places),
  };
}
