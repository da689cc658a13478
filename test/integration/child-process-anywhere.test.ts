import { once } from 'node:events';
import { connect } from 'node:net';

import { describe, expect, it } from 'vitest';

import { adopt, cancellableSpawn } from '../../src/adapters/child-process/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';

/**
 * Nothing but Node, so that it runs where there is no `sh` and no `ps`, too. Each of two generations holds a port, and
 * ends by itself if a red test has left it.
 */
const program = `
  const { spawn } = require('node:child_process');
  const child = process.argv[1] === 'last' ? undefined
    : spawn(process.execPath, ['-e', process.env.PROGRAM, 'last'], { stdio: ['ignore', 'inherit', 'ignore'] });
  const server = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port));
  setTimeout(() => process.exit(), 30_000);
`;

const env = { ...process.env, PROGRAM: program };

/** Whether somebody listens there. */
async function isHeld(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The ports of both generations, once both have said theirs. */
async function portsFrom(output: NodeJS.ReadableStream | null): Promise<number[]> {
  let said = '';
  for (;;) {
    const [chunk] = (await once(output!, 'data')) as [unknown];
    said += String(chunk);
    const ports = said.match(/\d+(?=\r?\n)/g)?.map(Number) ?? [];
    if (ports.length === 2) return ports;
  }
}

describe('S24 on any system', () => {
  it.each(['started', 'adopted'])('S24 a tree that was %s by us is gone when the result is there', async (how) => {
    const source = new CancellationTokenSource();
    const { token } = source;
    const run = cancellableSpawn(process.execPath, ['-e', program], { env, ...(how === 'started' ? { token } : {}) });
    const end = how === 'started' ? run : adopt(run.child!, { token });
    const ports = await portsFrom(run.stdout);
    expect(await Promise.all(ports.map(isHeld))).toEqual([true, true]);
    source.cancel('user');
    expect(await end).toMatchObject({ stoppedBy: { kind: 'user' }, survivors: [] });
    await run;
    expect(await Promise.all(ports.map(isHeld))).toEqual([false, false]);
  });
});
