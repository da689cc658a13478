import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { cancellableExec, cancellableSpawn } from '../../src/adapters/child-process/index.ts';
import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';

const tag = uniqueSleep();
const othersTag = uniqueSleep();
afterEach(() => killAll(tag));

beforeAll(async () => {
  const sleepers = `my $tag = '${othersTag}'; for (1..300) { if (!fork) { sleep 1000; exit } } $| = 1; print "up\\n"; sleep 1000`;
  const parent = spawn('/usr/bin/perl', ['-e', sleepers], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(parent.stdout, 'data');
});
afterAll(() => killAll(othersTag));

/** Neither parent, group, session nor environment leads to the daemon, and the command is gone at once. */
const line = `env -i /usr/bin/setsid /bin/sleep ${tag} & exit 0`;
const runs = Array.from({ length: 60 }, (_, index) => index);

describe.runIf(process.platform === 'linux')('S24 leader exits at once, beside 300 processes', () => {
  it('S24 each of 60 daemons that only an inherited file shows is named', async () => {
    const results = await Promise.all(runs.map(() => cancellableExec(line)));
    const named = results.map(({ background }) => background);
    expect(named.filter((background) => background === 'unknown' || background.length !== 1)).toEqual([]);
    expect(processesNamed(tag)).toHaveLength(runs.length);
  });

  it("S24 and each is stopped, where background says 'stop'", async () => {
    const results = await Promise.all(runs.map(() => cancellableExec(line, { background: 'stop' })));
    expect(results.map(({ survivors, background }) => [survivors, background])).toEqual(runs.map(() => [[], []]));
    expect(processesNamed(tag)).toEqual([]);
  });

  it.each([
    [
      'Node',
      process.execPath,
      `const { spawn } = require('node:child_process');
      spawn('env', ['-i', '/usr/bin/setsid', '/bin/sleep', '${tag}'], { stdio: 'ignore' }).unref();
      setTimeout(() => undefined, 200)`,
    ],
    [
      'Perl',
      '/usr/bin/perl',
      `system("env -i /usr/bin/setsid /bin/sleep ${tag} >/dev/null 2>&1 &"); select undef, undef, undef, 0.2`,
    ],
  ])('is inherited through a program or not, as the guide says: %s', async (name, command, program) => {
    const { background } = await cancellableSpawn(command, ['-e', program]);
    expect(processesNamed(tag)).toHaveLength(1);
    expect(background).toHaveLength(name === 'Node' ? 0 : 1);
  });
});
