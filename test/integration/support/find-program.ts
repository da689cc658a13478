/** What a machine may be without. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program of that name is; `undefined` where there is none. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
