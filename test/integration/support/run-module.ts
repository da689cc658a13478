import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { limitMs } from '../../support/limit.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs a module with the garbage collector in hand, in a process of its own. */
export function runModule(code: string): Promise<{ stdout: string; stderr: string }> {
  const args = [
    '--expose-gc',
    '--input-type=module-typescript',
    '--disable-warning=ExperimentalWarning',
    '--eval',
    code,
  ];
  return promisify(execFile)(process.execPath, args, { cwd: root, timeout: limitMs(60_000) });
}
