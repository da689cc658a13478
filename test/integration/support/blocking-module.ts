/**
 * Calls that block their thread, each inside the operating system.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';

/** Waits for a child that sleeps. */
export function waitForChild(seconds: string): string {
  return execFileSync('sleep', [seconds]).toString();
}

/** Waits for a child that sleeps, and outlives the signal that ends the child. */
export function outliveChild(seconds: string, isDone?: boolean): string {
  process.on('SIGTERM', () => undefined);
  try {
    return execFileSync('sleep', [seconds]).toString();
  } catch (error) {
    if (isDone === true) return 'done all the same';
    throw error;
  }
}

/** Waits for a child that will not go. */
export function waitForDeafChild(seconds: string): string {
  return execFileSync('sh', ['-c', `trap '' TERM; sleep ${seconds}; sleep ${seconds}`]).toString();
}

/** Holds a port, and then blocks for good. */
export function holdPort(port: number): Promise<never> {
  return new Promise(() => {
    createServer().listen(port, '127.0.0.1', () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });
  });
}

export default function add(a: number, b: number): number {
  return a + b;
}

export function fail(): never {
  throw new RangeError('too big');
}

export function uncopiable(): unknown {
  return () => 1;
}

/** Ends with a background job left behind. */
export async function leaveBackground(seconds: string): Promise<string> {
  const { spawn } = await import('node:child_process');
  spawn('sleep', [seconds], { stdio: 'ignore' }).unref();
  return 'left';
}

/** Starts a thread from a text in CommonJS, and blocks until it has spoken. */
export function waitForThread(): string {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const code = `
    const { workerData } = require('node:worker_threads');
    Atomics.store(workerData, 0, 7);
    Atomics.notify(workerData, 0);`;
  new Worker(code, { eval: true, workerData: flag });
  return `${Atomics.wait(flag, 0, 0, 5000)} ${flag[0]}`;
}
