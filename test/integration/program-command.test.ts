/** The command `desist check`: what it says, and that it leaves nothing behind, however it is ended. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import type { ProgramReport } from '../../src/testing/program/index.ts';
import { loadPseudoTerminals } from '../../src/testing/program/outside/pseudo-terminal.ts';
import { limitMs } from '../support/limit.ts';
import { folder, node, ownPlace, processesOf, root } from './support/program/checked.ts';

const place = ownPlace();

/** Whether each of the hostile commands of some run has written down its process. */
function hostileCommandsRun(): boolean {
  const folders = readdirSync(place.folder).filter((name) => name.startsWith('commands-'));
  return folders.some((name) => readdirSync(join(place.folder, name)).length > 6);
}

describe.skipIf(process.platform === 'win32' || !existsSync(join(root, 'dist/bin/desist.js')))(
  'the command desist',
  () => {
    async function desist(
      args: readonly string[],
      onStart?: (child: ChildProcess) => void,
    ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
      const child = spawn(node, [join(root, 'dist/bin/desist.js'), ...args], { cwd: root });
      const texts = { out: '', err: '' };
      onStart?.(child);
      child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
      return await new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
    }

    it(
      'the command says what failed: in words, as JSON, as a page, by its exit code',
      { timeout: limitMs(240_000) },
      async () => {
        const page = join(place.folder, 'report.html');
        const program = ['--', 'sh', join(folder, 'bare-agent.sh')];
        const options = ['--only', 'kill', '--runs', '1', '--json', '--html', page];
        const { code, out, err } = await desist(['check', ...options, ...program]);
        // In a terminal it is no good agent either: there the shell and its command have one, and ESC is a key like any other.
        const report = JSON.parse(out) as ProgramReport;
        expect({ code, err: err.split('\n').at(-2) }).toEqual({ code: 0, err: 'kill: noted' });
        expect(report).toMatchObject({ program: 'sh', status: 'noted', node: process.version });
        expect(readFileSync(page, 'utf8')).toContain('<h1>Does sh stop?</h1>');
        rmSync(page);
      },
    );

    it('the command refuses what makes no sense in a line', { timeout: limitMs(60_000) }, async () => {
      expect(await desist(['check'])).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/^say which program.*\n$/),
      });
      expect(await desist(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('usage: desist check') });
    });

    it.each([
      [[], 'SIGINT'],
      [[], 'SIGTERM'],
      [['--no-contain'], 'SIGTERM'],
      [['--no-contain'], 'SIGHUP', 'SIGHUP'],
      [[], 'SIGHUP', 'SIGHUP'],
    ] as const)(
      'the command with %j that gets %s ends what runs, and leaves nothing',
      { timeout: limitMs(240_000) },
      async (more, signal, again?: NodeJS.Signals) => {
        const program = ['--', 'sh', join(folder, 'bare-agent.sh')];
        const { code, err } = await desist(['check', '--only', 'kill', ...more, ...program], (child) => {
          const isPlaying = setInterval(() => {
            if (!hostileCommandsRun()) return;
            clearInterval(isPlaying);
            child.kill(signal);
            // Of a closed window the kernel tells, and the shell.
            if (again !== undefined) setTimeout(() => child.kill(again), 20);
          }, 20);
          child.once('exit', () => clearInterval(isPlaying));
        });
        expect({ code, err: err.split('\n').at(-2) }).toEqual({
          code: 130,
          err: 'stopped: what ran is ended, and what was made is removed',
        });
        expect([...readdirSync(place.folder), ...processesOf(place.folder)]).toEqual([]);
      },
    );

    it(
      'Ctrl+C in the terminal of the command ends what runs, and leaves nothing',
      { timeout: limitMs(240_000) },
      async () => {
        const { spawn: open } = await loadPseudoTerminals();
        const words = [join(root, 'dist/bin/desist.js'), 'check', '--only', 'kill', '--'];
        const program = ['sh', join(folder, 'bare-agent.sh')];
        const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))); // prettier-ignore
        const terminal = open(node, [...words, ...program], { cols: 100, rows: 30, cwd: root, name: 'xterm', env });
        let shown = '';
        terminal.onData((text) => (shown += text));
        const code = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
        await vi.waitFor(
          () => {
            expect(hostileCommandsRun(), shown).toBe(true);
          },
          { timeout: limitMs(60_000), interval: 20 },
        );
        terminal.write('\x03');
        expect({ code: await code, shown }).toEqual({
          code: 130,
          shown: expect.stringContaining('stopped: what ran is ended, and what was made is removed'),
        });
        expect([...readdirSync(place.folder), ...processesOf(place.folder)]).toEqual([]);
      },
    );
  },
);
