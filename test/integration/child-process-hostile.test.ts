import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterEach, describe, expect, it } from 'vitest';

import { cancellableExec, cancellableSpawn } from '../../src/adapters/child-process/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';

const tag = uniqueSleep();
afterEach(() => killAll(tag));

const perl = (program: string, rest = '') => `perl -e '${program}' ${rest}`;

describe('S42 nothing is lost', () => {
  it('S42 without a descriptor left a start rejects with its code, throws nowhere, and the next one works', async () => {
    const door = new URL('../../src/adapters/child-process/index.ts', import.meta.url).href;
    const program = `
      import { closeSync, openSync } from 'node:fs';
      import { cancellableExec } from ${JSON.stringify(door)};
      const seen = [];
      process.on('uncaughtException', (error) => seen.push(String(error)));
      const call = () => cancellableExec('echo hi').then(({ stdout }) => stdout, ({ code }) => code);
      for (const spare of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        const files = [];
        try { for (;;) files.push(openSync('/dev/null', 'r')); } catch {}
        for (const file of files.splice(0, spare)) closeSync(file);
        seen.push(await call());
        for (const file of files) closeSync(file);
      }
      console.log(JSON.stringify([...new Set(seen)].sort()), await call());`;
    const limited = ['-c', 'ulimit -n 80; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)('/bin/sh', limited);
    expect(stdout).toMatch(/^\["EMFILE"(,"hi\\n")?\] hi\n\n$/);
  });

  const line = 'head -c 400000 /dev/zero | tr "\\0" z; echo; echo THE-END; exit 3';

  it.each([0, 60, 150])('S42 a reader that takes %i ms for each chunk takes nothing from the result', async (ms) => {
    const run = cancellableExec(line, { maxBuffer: Infinity });
    const reading = (async () => {
      let bytes = 0;
      for await (const chunk of run.stdout ?? []) {
        bytes += (chunk as Buffer).length;
        await sleep(ms);
      }
      return bytes;
    })();
    const result = await run;
    expect(result).toMatchObject({ exitCode: 3, outputEnded: true, background: [] });
    expect([result.stdout.length, result.stdout.endsWith('\nTHE-END\n')]).toEqual([400_009, true]);
    expect(await reading).toBe(400_009);
  });

  it.each([30_000, 100_000])(
    'S42 a stream that is paused keeps %i bytes for the reader that comes after',
    async (size) => {
      const run = cancellableExec(`head -c ${String(size)} /dev/zero; exit 3`, { maxBuffer: Infinity });
      run.stdout?.pause();
      const { exitCode, stdout, outputEnded } = await run;
      expect([exitCode, stdout.length, outputEnded]).toEqual([3, size, true]);
      let bytes = 0;
      for await (const chunk of run.stdout ?? []) bytes += (chunk as Buffer).length;
      expect(bytes).toBe(size);
    },
  );

  it('S42 a reader that pauses is given nothing until it resumes, whether or not the command has ended', async () => {
    const run = cancellableExec('echo one; sleep 0.1; echo two');
    const chunks: string[] = [];
    run.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk.toString());
      run.stdout?.pause();
    });
    expect(await run).toMatchObject({ stdout: 'one\ntwo\n', outputEnded: true });
    await sleep(50);
    expect(chunks).toEqual(['one\n']);
    run.stdout?.resume();
    await once(run.stdout!, 'close');
    expect(chunks).toEqual(['one\n', 'two\n']);
  });

  it('S42 what a command writes when it is told to stop is in the result', async () => {
    const source = new CancellationTokenSource();
    const program = `$| = 1; $SIG{TERM} = sub { print "x" x 5000000; print "END\\n"; exit 0 }; print "up\\n"; sleep 20 while 1`;
    const run = cancellableSpawn('perl', ['-e', program], {
      token: source.token,
      maxBuffer: Infinity,
      graceMs: 10_000,
    });
    await once(run.stdout!, 'data');
    source.cancel('user');
    const { stdout, exitCode, stoppedBy } = await run;
    expect([stdout.length, stdout.endsWith('END\n'), exitCode, stoppedBy?.kind]).toEqual([5_000_007, true, 0, 'user']);
  });
});

describe('S24 daemons', () => {
  it('S24 one whose title overwrites its environment is stopped', async () => {
    const source = new CancellationTokenSource();
    const daemon = `use POSIX; exit 0 if fork; POSIX::setsid(); exit 0 if fork; $0 = "server ${tag}" . (" " x 3000); sleep 60`;
    const run = cancellableExec(`${perl(daemon, '>/dev/null 2>&1')}; sleep ${tag}`, {
      token: source.token,
      graceMs: 300,
    });
    const isUp = () => processesNamed(tag).some(({ command }) => command.startsWith('server '));
    await expect.poll(isUp).toBe(true);
    source.cancel('user');
    expect((await run).survivors).toEqual([]);
    expect(processesNamed(tag)).toEqual([]);
  });

  it("S24 one that really stayed is in background, and 'stop' stops it", async () => {
    const line = `setsid sleep ${tag} >/dev/null 2>&1 & sleep 0.1`;
    const { background } = await cancellableExec(line);
    expect(background).toEqual([{ pid: expect.any(Number) as number, command: `sleep ${tag}` }]);
    killAll(tag);
    expect(await cancellableExec(line, { background: 'stop' })).toMatchObject({ survivors: [], background: [] });
    expect(processesNamed(tag)).toEqual([]);
  });

  it.each([3, 20, 100])('S24 a chain that hands on every %i ms is caught, or said to be there', async (stepMs) => {
    const source = new CancellationTokenSource();
    const chain = `use POSIX; my $tag = "${tag}"; my $end = time + 20; while (time < $end) { exit 0 if fork; POSIX::setsid(); select undef, undef, undef, ${String(stepMs / 1000)} }`;
    const run = cancellableExec(`${perl(chain, '>/dev/null 2>&1 &')} echo up; sleep ${tag}`, {
      token: source.token,
      graceMs: 300,
    });
    await once(run.stdout!, 'data');
    await sleep(300);
    source.cancel('user');
    const { survivors } = await run;
    // Another number in each look: that somebody is left is what can be said for certain.
    if (survivors.length === 0) expect(processesNamed(tag)).toEqual([]);
    for (let quiet = 0; quiet < 3; quiet += 1) if (processesNamed(tag).length > 0) [quiet] = [-1, killAll(tag)];
  });
});
