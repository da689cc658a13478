import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { afterEach, expect, it } from 'vitest';

import { cancellableExec } from '../../src/adapters/child-process/index.ts';
import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';

const tag = uniqueSleep();
afterEach(() => killAll(tag));

const program = fileURLToPath(new URL('support/child-process-guarded.ts', import.meta.url));

it('S43 four hostile commands are gone within a second of the SIGKILL of our own process', async () => {
  const ours = spawn(process.execPath, [program, tag], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(ours.stdout, 'data');
  await sleep(300); // the guardian has started, and the daemons have left
  const hostile = (): number => processesNamed(tag).filter(({ pid }) => pid !== ours.pid).length;
  expect(hostile()).toBeGreaterThanOrEqual(7);
  ours.kill('SIGKILL');
  await once(ours, 'exit');
  await sleep(1000);
  expect(processesNamed(tag)).toEqual([]);
});

const hidden = `env -i /usr/bin/setsid /bin/sleep ${tag} & exit 0`;

it.each([
  ['a command', ['sleep', tag]],
  ['a daemon without an environment, whose command has ended,', ['sh', '-c', hidden]],
])('a guardian knows of %s whose program is killed the moment it has started it', async (_, [file, ...args]) => {
  const door = new URL('../../src/adapters/child-process/index.ts', import.meta.url).href;
  const source = `
    import childProcess from 'node:child_process';
    import { syncBuiltinESMExports } from 'node:module';
    const { spawn } = childProcess;
    childProcess.spawn = (...args) => {
      const child = spawn(...args);
      if (args[0] === '${file!}') {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        process.kill(process.pid, 'SIGKILL');
      }
      return child;
    };
    syncBuiltinESMExports();
    const { cancellableSpawn } = await import(${JSON.stringify(door)});
    cancellableSpawn('${file!}', ${JSON.stringify(args)}, { guardian: true });`;
  const ours = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: 'ignore' });
  expect(await once(ours, 'exit')).toEqual([null, 'SIGKILL']);
  await expect.poll(() => processesNamed(tag)).toEqual([]);
});

it('a guardian that has nothing to guard is gone, and leaves what ended well alone', async () => {
  const before = processesNamed('DESIST_RUN=').length;
  const { exitCode, background } = await cancellableExec(`sleep ${tag} >/dev/null 2>&1 & exit 0`, { guardian: true });
  expect([exitCode, background.length]).toEqual([0, 1]);
  await expect.poll(() => processesNamed('DESIST_RUN=').length).toBe(before);
  expect(processesNamed(tag)).toHaveLength(1);
});
