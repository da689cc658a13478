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
