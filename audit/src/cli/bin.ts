#!/usr/bin/env node
/**
 * `desist-audit`, as it is started.
 *
 * @module
 */
import { main } from './main.ts';

process.exitCode = main(process.argv.slice(2), {
  cwd: process.cwd(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
