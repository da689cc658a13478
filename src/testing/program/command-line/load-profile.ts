/**
 * A profile from a file: JSON, or a module whose default export is one.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readProfile } from '../profile-reading.ts';
import type { ProgramProfile } from '../profile.ts';
import { UsageError } from './arguments.ts';

/**
 * Loads a profile; TypeScript needs a Node that takes the types away (22.18).
 *
 * @throws UsageError – there is no such file, or it holds no profile; the message says why.
 */
export async function loadProfile(path: string): Promise<ProgramProfile> {
  const file = resolve(path);
  try {
    if (file.endsWith('.json')) return readProfile(JSON.parse(await readFile(file, 'utf8')));
    const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    return readProfile(module.default);
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
