/**
 * Reads a profile: what makes no sense is said at once, by its name, and not found out by a check that blames the program.
 *
 * @module
 */
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { fillIn, placeOf, type ProfilePlaces } from './profile-places.ts';
import { readyPattern, takesOnePrompt, throughOf, type ProgramProfile, type ProgramPromise } from './profile.ts';

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
  number: 'a number from 0',
} as const;

function isOf(kind: keyof typeof words, value: unknown): boolean {
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'number') return typeof value === 'number' && Number.isFinite(value) && value >= 0;
  if (kind === 'texts') return Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return kind === 'table' || Object.values(value).every((one) => typeof one === 'string');
}

/** Where the places of a run might be: below the current folder, so that this folder is in none of them, wherever it is. */
function somewhere(): ProfilePlaces {
  const run = resolve('a-run-of-a-check');
  return { url: 'http://127.0.0.1:9', home: `${run}/home`, work: `${run}/work`, mcp: `${run}/work/mcp.cjs` };
}

function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return value === undefined ? 'undefined' : JSON.stringify(value);
}

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
  checkWay(profile);
  checkFiles(profile.files);
  checkMcp(profile.mcp);
  if (profile.ready !== undefined) readyPattern(profile.ready);
  return profile;
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

/** What a way of speaking has; what the profile says beyond that would be taken, and never done. */
function checkWay(profile: ProgramProfile): void {
  const through = throughOf(profile);
  const keys = ['setup', 'submit', 'quit', 'approve'] as const;
  const waits = ['ready', 'settleMs'] as const;
  const foreign = {
    terminal: [],
    lines: takesOnePrompt(profile) ? [...keys, ...waits] : keys,
    acp: [...keys, ...waits],
  }[through];
  const name = foreign.find((one) => profile[one] !== undefined);
  if (name === undefined) return;
  const kind = takesOnePrompt(profile) ? 'takes one prompt and ends' : `is spoken to through ${through}`;
  throw new RangeError(`${name} of a profile is not for a program that ${kind}, got ${show(profile[name])}`);
}

function checkFiles(files: ProgramProfile['files'] = {}): void {
  const places = somewhere();
  for (const path of Object.keys(files)) {
    if (placeOf(fillIn(path, places), places) !== undefined) continue;
    throw new RangeError(`files of a profile must be in the home, or begin with {work}/, got ${show(path)}`);
  }
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
