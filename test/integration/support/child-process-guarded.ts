/**
 * A program with four hostile commands under a guardian, which is going to be killed: deaf, in a session of its own, with
 * a cleared environment, with a rewritten title.
 *
 * @module
 */
import { cancellableExec } from '../../../src/adapters/child-process/index.ts';

const [, , tag] = process.argv;
const t = String(tag);
const lines = [
  `trap '' TERM INT HUP; echo up; while :; do sleep ${t}; done`,
  `(setsid sleep ${t} >/dev/null 2>&1 &); echo up; sleep ${t}`,
  `env -i /usr/bin/setsid /bin/sleep ${t} >/dev/null 2>&1 & echo up; wait`,
  `(perl -e 'use POSIX; POSIX::setsid(); exit 0 if fork; open STDOUT,">/dev/null"; open STDERR,">/dev/null"; $0="server ${t}".(" " x 3000); sleep 600' &) ; echo up; sleep ${t}`,
];
const runs = lines.map((line) => cancellableExec(line, { guardian: true }));
await Promise.all(runs.map((run) => new Promise((resolve) => run.stdout?.once('data', resolve))));
console.log('ready');
