/**
 * Tries the packed package in workerd, the runtime of Cloudflare's workers: a token of a module's top level in request
 * after request, one of which ends while another waits.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';

import { build } from 'esbuild';

import type { Consumer } from '../../test/package/consumer.ts';
import type { Ended } from './run.ts';

/** Requests in order, with the answer that is right; a list of them is sent at once. */
const script: readonly (readonly [path: string, answer: string])[][] = [
  [['/signal', 'false']],
  [['/signal', 'false']],
  [['/under-signal', 'false']],
  [['/turn', 'completed']],
  [['/turn', 'completed']],
  [['/arm-and-end', 'ended']],
  [['/limit', 'deadline']],
  [
    ['/limit', 'deadline'],
    ['/quick-limit', 'deadline'],
    ['/arm-and-end', 'ended'],
  ],
  [
    ['/wait', 'shutdown'],
    ['/cancel', 'true'],
  ],
  [['/after', 'shutdown']],
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function configFor(port: number): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
    compatibilityDate = "2026-03-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${String(port)}", http = (), service = "main")],
);
`;
}

async function ask(origin: string, path: string): Promise<string> {
  const response = await fetch(origin + path, { signal: AbortSignal.timeout(10_000) });
  return response.text();
}

async function untilItAnswers(origin: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask(origin, '/none');
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Serves the worker, sends the requests, and counts the right answers. */
export async function tryWorkerd(program: string, { folder }: Consumer): Promise<Ended> {
  await build({
    entryPoints: [join(folder, 'smoke/workerd.mjs')],
    outfile: join(folder, 'worker.mjs'),
    bundle: true,
    format: 'esm',
    logLevel: 'silent',
  });
  const port = await freePort();
  writeFileSync(join(folder, 'workerd.capnp'), configFor(port));
  const said: string[] = [];
  const server = spawn(program, ['serve', join(folder, 'workerd.capnp')], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => said.push(chunk));
  }
  const ended = new Promise((resolve) => server.once('close', resolve));
  const wrong: string[] = [];
  let passed = 0;
  try {
    const origin = `http://127.0.0.1:${String(port)}`;
    await untilItAnswers(origin);
    for (const together of script) {
      const answers = await Promise.all(
        together.map(([path], index) =>
          // The first of them waits before the next is sent.
          new Promise((resolve) => setTimeout(resolve, 100 * index)).then(() => ask(origin, path)).catch(String),
        ),
      );
      for (const [index, [path, right]] of together.entries()) {
        if (answers[index] === right) passed++;
        else wrong.push(`not ok ${path}: ${String(answers[index])}, wanted ${right}`);
      }
    }
  } finally {
    server.kill('SIGKILL');
    await ended;
  }
  const output = [...wrong, ...said].join('\n');
  return { ok: wrong.length === 0, output, checks: { passed, failed: wrong.length } };
}
