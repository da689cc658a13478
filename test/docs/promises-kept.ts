/**
 * Runs the code of the documentation that promises something.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a process says last that came to its end. */
const DONE = 'all of them ran';
/** How many modules one process runs: to start it takes longer than what most of them do. */
const TOGETHER = 20;

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

async function play(file: string, cwd: string, timeout: number): Promise<Ran> {
  return await run(process.execPath, [file], { cwd, timeout }).catch((error: unknown) => error as Ran);
}

/**
 * Runs modules, many in a process.
 *
 * @param files TypeScript modules, in one folder.
 * @param cwd Where they run.
 * @returns Says what a module complained of: nothing if it kept what it promises. If one of a process complains, or ends it, each of
 *   them runs alone, and speaks for itself.
 */
export function promisesKept(files: readonly string[], cwd: string): (file: string) => Promise<string> {
  const count = Math.ceil(files.length / TOGETHER);
  const together = new Map<number, Promise<boolean>>();
  const areKept = async (group: number): Promise<boolean> => {
    const own = files.filter((_file, at) => at % count === group);
    const all = join(own[0] ?? '', '..', `all-${String(group)}.ts`);
    const lines = own.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)});`);
    writeFileSync(all, [...lines, `process.stdout.write(${JSON.stringify(`\n${DONE}`)});`].join('\n'));
    const { stdout, stderr } = await play(all, cwd, 60_000 * own.length);
    return stderr === '' && stdout.includes(DONE);
  };
  return async (file) => {
    const group = files.indexOf(file) % count;
    const kept = together.get(group) ?? areKept(group);
    together.set(group, kept);
    return (await kept) ? '' : (await play(file, cwd, 60_000)).stderr;
  };
}
