/**
 * Where a run of a program takes place: what the texts of its profile are filled with, its environment, and its files, none of which is
 * written outside of its home and its folder.
 *
 * @module
 */
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { ProgramProfile } from './profile.ts';
import { Unplayed } from './stage/findings.ts';

/** What the texts of a profile are filled with. */
export interface ProfilePlaces {
  readonly url: string;
  readonly home: string;
  readonly work: string;
  readonly mcp: string;
  readonly prompt?: string | undefined;
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

type Folders = Pick<ProfilePlaces, 'home' | 'work'>;

const isIn = (path: string, folder: string): boolean => path.startsWith(folder + sep);

/** Where a file of that name goes, filled in; nowhere if that is outside. */
export function placeOf(name: string, { home, work }: Folders): string | undefined {
  const path = resolve(home, name);
  const isHome = /^~(?:\/|$)/.test(name);
  return !isHome && (isIn(path, home) || isIn(path, work)) ? path : undefined;
}

/** Whether the folder that a path leads into is where it seems to be: a program may have made links. */
function isReallyIn(path: string, { home, work }: Folders): boolean {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  const real = realpathSync(folder) + sep;
  return [home, work].some((one) => isIn(real, realpathSync(one)));
}

/**
 * Writes them.
 *
 * @throws Unplayed – the program has made a link that leads out.
 */
export function writeFiles(files: ProgramProfile['files'] = {}, places: ProfilePlaces): void {
  // A program may have removed them.
  for (const folder of [places.home, places.work]) mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(fillIn(files, places))) {
    const path = placeOf(name, places);
    if (path === undefined || !isReallyIn(path, places)) {
      throw new Unplayed(
        `the program has made a link, so that ${JSON.stringify(name)} of its files would be outside of its home`,
      );
    }
    mkdirSync(dirname(path), { recursive: true });
    // A link in its place is not written through.
    rmSync(path, { force: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2), { flag: 'wx' });
  }
}
