/**
 * A program that ends while something runs, and whose first SIGKILL comes too late: what is killed has just started a
 * daemon. `child-process-newcomer.ts door tag`.
 *
 * @module
 */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';

import { acpClient } from '../../../src/adapters/acp/index.ts';
import { cancellableExec, markedEnvironment } from '../../../src/adapters/child-process/index.ts';
import { restartableClient } from '../../../src/adapters/mcp/index.ts';
import { runBlocking } from '../../../src/adapters/worker/index.ts';

const [door = '', tag = ''] = process.argv.slice(2);

const kill = process.kill.bind(process);
let hasForked = false;
process.kill = (pid, signal) => {
  if (signal === 'SIGKILL' && !hasForked) {
    hasForked = true;
    const environment = readFileSync(`/proc/${String(Math.abs(pid))}/environ`, 'utf8').split('\0');
    const marker = environment.find((line) => line.startsWith('DESIST_RUN='))?.slice('DESIST_RUN='.length);
    // It would hold pipes of ours.
    execFileSync('/usr/bin/setsid', ['-f', 'sleep', tag], {
      stdio: 'ignore',
      env: { DESIST_RUN: marker, PATH: process.env['PATH'] },
    });
    writeSync(1, 'forked');
  }
  return kill(pid, signal);
};

const start = (env: Readonly<Record<string, string>>) =>
  spawn('sleep', [tag], { stdio: 'ignore', detached: true, env: { ...process.env, ...env } });
const client = (transport: object) => ({ transport, close: () => Promise.resolve(), ping: () => Promise.resolve({}) });

const doors: Record<string, () => unknown> = {
  'child-process': () => cancellableExec(`sleep ${tag}`),
  acp: () => {
    const env = markedEnvironment();
    acpClient({ agentProcess: start(env), env });
  },
  mcp: () => restartableClient(({ env }) => client({ pid: start(env).pid })).request(null, () => undefined),
  'mcp that connects': () => {
    const connect = ({ env }: { readonly env: Readonly<Record<string, string>> }): Promise<never> => {
      start(env);
      return new Promise(() => undefined);
    };
    restartableClient(connect)
      .request(null, () => undefined)
      .catch(() => undefined);
    return new Promise((resolve) => setImmediate(resolve));
  },
  worker: async () => {
    const blocking = new URL('blocking-module.ts', import.meta.url);
    void runBlocking(null, blocking, [tag], { exportName: 'waitForChild' });
    await new Promise((resolve) => setTimeout(resolve, 300));
  },
};
const open = doors[door];
if (open === undefined) throw new TypeError(`no such door: ${door}`);
const opened = open();
if (door !== 'child-process') await opened;
process.exit(0);
