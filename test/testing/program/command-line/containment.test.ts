import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { CancellationTokenSource } from '../../../../src/index.ts';
import { canContain, INSIDE, runContained } from '../../../../src/testing/program/command-line/containment.ts';

it('what runs contained has no network but the loopback, and its exit code comes back', async ({ skip }) => {
  if (!canContain()) skip('the system gives no namespaces to this user');
  const script = `
    const { networkInterfaces } = require('node:os')
    const names = Object.keys(networkInterfaces())
    process.exit(process.env.${INSIDE} === '1' && names.every((name) => name === 'lo') && process.pid < 20 ? 7 : 1)`;
  expect(await runContained([process.execPath, '-e', script])).toBe(7);
});

it('who runs contained hears through its lifeline that it is stopped', async ({ skip }) => {
  if (!canContain()) skip('the system gives no namespaces to this user');
  const stop = new CancellationTokenSource();
  const script = `new (require('node:net').Socket)({ fd: 3 }).on('end', () => process.exit(9)).resume()`;
  const run = runContained([process.execPath, '-e', script], stop.token);
  stop.cancel('user');
  expect(await run).toBe(9);
});

it('who has lost its parent does not stay as a dead one', async ({ skip }) => {
  if (!canContain()) skip('the system gives no namespaces to this user');
  const script = `
    sh -c 'sleep 64 & echo $! > "$0"' "$1"
    orphan=$(cat "$1"); kill -9 $orphan; tries=0
    while kill -0 $orphan 2>/dev/null; do sleep 0.1; tries=$((tries + 1)); [ $tries -lt 300 ] || exit 1; done
    exit 5`;
  const place = mkdtempSync(join(tmpdir(), 'orphan-'));
  expect(await runContained(['sh', '-c', script, 'sh', join(place, 'pid')])).toBe(5);
  rmSync(place, { recursive: true });
}, 120_000);
