#!/usr/bin/env node
/**
 * The program `desist`.
 *
 * @module
 */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { CancellationTokenSource } from '../../../index.ts';
import { INSIDE, whenOutsideEnds } from './containment.ts';
import { runCommand } from './run-command.ts';

const [node = process.execPath, script = '', ...args] = process.argv;

const stop = new CancellationTokenSource();
const stopBy = (signal: string) => (): void => void stop.cancel({ kind: 'user', message: signal });
// A second signal is the system's: it ends this process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stopBy(signal));
// Not that of a closed window: the kernel and the shell each send one, and nobody is there to be told.
process.on('SIGHUP', stopBy('SIGHUP'));
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
if (process.env[INSIDE] !== undefined) {
  whenOutsideEnds(() => {
    stop.cancel({ kind: 'disconnect' });
  });
}

void runCommand(args, {
  env: process.env,
  self: [node, script],
  // The package knows itself by its name; a link to the program may lie anywhere.
  version: () => (createRequire(realpathSync(script))('desist/package.json') as { readonly version: string }).version,
  token: stop.token,
  out: (text) => {
    process.stdout.write(text);
  },
  err: (text) => {
    process.stderr.write(text);
  },
}).then((code) => {
  process.exitCode = code;
});
