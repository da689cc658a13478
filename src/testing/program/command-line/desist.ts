#!/usr/bin/env node
/**
 * The program `desist`.
 *
 * @module
 */
import process from 'node:process';
import { runCommand } from './run-command.ts';

const [node = process.execPath, script = '', ...args] = process.argv;

void runCommand(args, {
  env: process.env,
  self: [node, script],
  out: (text) => {
    process.stdout.write(text);
  },
  err: (text) => {
    process.stderr.write(text);
  },
}).then((code) => {
  process.exitCode = code;
});
