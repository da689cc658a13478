/** A scenario with a socket: its stop comes while JavaScript runs, never while Node hands over what it has read. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const run = promisify(execFile);
const door = new URL('../../src/testing/index.ts', import.meta.url).href;

/** How the network divides its work is not the same each time, so a series may find no end; its process must live. */
const program = `
  import { createServer } from 'node:http';
  import { once } from 'node:events';
  const { cancelAtEvery } = await import(${JSON.stringify(door)});
  const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = 'http://127.0.0.1:' + server.address().port;
  const scenario = async ({ signal }) => (await fetch(url, { signal })).text();
  for (let n = 0; n < 3; n++) {
    const end = await cancelAtEvery(scenario, { check() {}, maxSteps: 60 }).catch((error) => error.message);
    console.log(typeof end === 'number' ? 'ended' : end.replace(/.*(does not settle|does it do the same each time).*/, 'no end'));
  }
  process.exit(0);`;

it('cancelAtEvery around a fetch ends the run and not the process', async () => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toMatch(/^(?:(?:ended|no end)\n){3}$/);
}, 60_000);
