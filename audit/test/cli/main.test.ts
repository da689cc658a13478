import { symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { main } from '../../src/cli/main.ts';
import { globals, plain, plant, type Planted } from './planted.ts';

const loses = `export async function load(url: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  return (await fetch(url)).status;
}
`;
const swallows = `export async function tryLoad(url: string, signal: AbortSignal): Promise<string> {
  try {
    return await (await fetch(url, { signal })).text();
  } catch (error) {
    return String(error);
  }
}
`;
const fine = `export async function load(url: string, signal: AbortSignal): Promise<number> {
  return (await fetch(url, { signal })).status;
}
`;

interface Output {
  readonly version: number;
  readonly since?: string;
  readonly files: number;
  readonly skipped: number;
  readonly findings: readonly {
    readonly file: string;
    readonly line: number;
    readonly rule: string;
    readonly code: string;
  }[];
}

function found(out: string): string[] {
  return (JSON.parse(out) as Output).findings.map(({ file, line, rule }) => `${file}:${String(line)} ${rule}`);
}

let planted: Planted | undefined;

afterEach(() => {
  planted?.[Symbol.dispose]();
  planted = undefined;
});

function plantWith(files: Readonly<Record<string, string>>): Planted {
  planted = plant({ 'tsconfig.json': plain, 'globals.d.ts': globals, ...files });
  return planted;
}

describe('the report', () => {
  it('the table says by file what would happen, and the exit code is 0 whatever was found', () => {
    const { audit } = plantWith({ 'src/a.ts': loses, 'src/b.ts': swallows, 'src/a.test.ts': loses });
    const { code, out, err } = audit();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      [
        'src/a.ts',
        '  3:17  pass-signal  On Stop, fetch(…) runs on to its end: it takes `init.signal` and gets none, though signal is in reach.',
        '',
        'src/b.ts',
        '  4:5  rethrow-stops  On Stop, the error of fetch(…) becomes a result here: whoever gets it takes a stop for a failure, and goes on.',
        '',
        'A stop gets lost in 2 places (pass-signal 1, rethrow-stops 1): 2 files read, 1 of tests and builds not.',
        '',
      ].join('\n'),
    );
  });

  it('a project without findings is said to have none, as far as types tell', () => {
    const { audit } = plantWith({ 'src/a.ts': fine });
    expect(audit()).toEqual({ code: 0, out: 'No stop gets lost, as far as types tell: 1 file read.\n', err: '' });
  });

  it('--json gives one object with the places', () => {
    const { audit } = plantWith({ 'src/a.ts': loses });
    const output = JSON.parse(audit('--json').out) as Output;
    expect(output).toMatchObject({ version: 1, files: 1, skipped: 0, unread: [] });
    expect(output.findings).toEqual([
      {
        file: 'src/a.ts',
        line: 3,
        column: 17,
        rule: 'pass-signal',
        message:
          'On Stop, fetch(…) runs on to its end: it takes `init.signal` and gets none, though signal is in reach.',
        code: 'return (await fetch(url)).status;',
      },
    ]);
  });

  it('--orphans adds the requests that no signal is in reach of', () => {
    const { audit } = plantWith({
      'src/a.ts': 'export const load = async (): Promise<Response> => await fetch("https://a.example");\n',
    });
    expect(found(audit('--json').out)).toEqual([]);
    expect(found(audit('--json', '--orphans').out)).toEqual(['src/a.ts:1 orphans']);
  });

  it('a comment with the name of the rule silences a place', () => {
    const silenced = loses.replace(
      '  return',
      '  // eslint-disable-next-line desist/pass-signal -- it answers at once\n  return',
    );
    const { audit } = plantWith({ 'src/a.ts': silenced });
    expect(found(audit('--json').out)).toEqual([]);
  });

  it('comments for rules of others are no findings', () => {
    const { audit } = plantWith({
      'src/a.ts': `/* eslint other/rule: "error" */\n/* eslint-disable no-console */\n${fine}`,
    });
    expect(audit('--json')).toMatchObject({ code: 0, err: '' });
    expect(found(audit('--json').out)).toEqual([]);
  });
});

describe('the exit code', () => {
  it('--max N ends with 1 if there are more findings, and with 0 if not', () => {
    const { audit } = plantWith({ 'src/a.ts': loses, 'src/b.ts': swallows });
    expect(audit('--max', '2').code).toBe(0);
    expect(audit('--max', '1').code).toBe(1);
  });

  it.each([
    [['--max', 'few'], "desist-audit: --max takes a whole number from 0, got 'few'\n"],
    [['--max=-1'], "desist-audit: --max takes a whole number from 0, got '-1'\n"],
    [['--since='], 'desist-audit: --since takes a revision of git, got nothing\n'],
    [['a', 'b'], 'desist-audit: one tsconfig at a time, got a and b\n'],
    [['--fix'], "desist-audit: Unknown option '--fix' (desist-audit --help)\n"],
  ])('%j cannot be done, and ends with 2 and one line', (args, err) => {
    const { audit } = plantWith({ 'src/a.ts': fine });
    expect(audit(...args)).toEqual({ code: 2, out: '', err });
  });

  it('a folder without a configuration ends with 2 and its path', () => {
    const { audit, folder } = plantWith({ 'src/a.ts': fine });
    expect(audit('src')).toEqual({
      code: 2,
      out: '',
      err: `desist-audit: there is no ${folder}/src/tsconfig.json: name a tsconfig.json, or the folder of one\n`,
    });
  });

  it('a folder without sources ends with 2 and its path', () => {
    const { audit } = plantWith({ 'empty/tsconfig.json': '{}' });
    const err = 'desist-audit: empty names no files, and refers to no configuration that does\n';
    expect(audit('empty')).toEqual({ code: 2, out: '', err });
  });

  it('a configuration that cannot be read ends with 2', () => {
    const { audit } = plantWith({ 'src/a.ts': fine, 'broken.json': '{ "compilerOptions": ' });
    expect(audit('broken.json').code).toBe(2);
  });

  it('--help and --version write to the output', () => {
    const { audit } = plantWith({ 'src/a.ts': fine });
    expect(audit('--help').out).toContain('desist-audit [tsconfig]');
    expect(audit('--version').out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('the configuration', () => {
  it('one that only refers to others is followed, and a file of two is looked at once', () => {
    const { audit } = plantWith({
      'tsconfig.json': JSON.stringify({ files: [], references: [{ path: './app' }, { path: './lib' }] }),
      'app/tsconfig.json': JSON.stringify({
        ...(JSON.parse(plain) as object),
        include: ['.', '../lib', '../globals.d.ts'],
      }),
      'lib/tsconfig.json': plain,
      'lib/globals.d.ts': globals,
      'app/a.ts': swallows,
      'lib/b.ts': loses,
    });
    expect(found(audit('--json').out)).toEqual(['app/a.ts:4 rethrow-stops', 'lib/b.ts:3 pass-signal']);
  });

  it('a file may be named, from a folder above', () => {
    const { audit } = plantWith({ 'app/tsconfig.app.json': plain, 'app/globals.d.ts': globals, 'app/a.ts': loses });
    expect(found(audit('app/tsconfig.app.json', '--json').out)).toEqual(['app/a.ts:3 pass-signal']);
  });

  it('a file that cannot be opened is named, and not counted as read', () => {
    const { audit } = plantWith({
      'tsconfig.json': JSON.stringify({ ...(JSON.parse(plain) as object), files: ['globals.d.ts', 'a.ts', 'gone.ts'] }),
      'a.ts': loses,
    });
    const { out } = audit();
    expect(out).toContain('not read: gone.ts: it cannot be opened');
    expect(out).toContain('A stop gets lost in 1 place (pass-signal 1): 1 file read.');
  });

  it('what is wrong with a comment is neither a finding nor a file that was not read', () => {
    const { audit } = plantWith({
      'src/a.ts': `/* eslint-env node */\n/* eslint desist/pass-signal: "loud" */\n${loses}`,
    });
    expect(found(audit('--json').out)).toEqual(['src/a.ts:5 pass-signal']);
    expect(JSON.parse(audit('--json').out)).toMatchObject({ files: 1, unread: [] });
  });

  it('a file behind a link is looked at where it is', () => {
    const { audit, folder, git, write } = plantWith({
      'app/tsconfig.json': plain,
      'app/globals.d.ts': globals,
      'lib/b.ts': fine,
    });
    symlinkSync('../lib', join(folder, 'app/lib'));
    git('add', '--all');
    git('commit', '--quiet', '--message', 'second');
    write('lib/b.ts', loses);
    expect(found(audit('app', '--json').out)).toEqual(['lib/b.ts:3 pass-signal']);
    expect(found(audit('app', '--json', '--since', 'HEAD').out)).toEqual(['lib/b.ts:3 pass-signal']);
  });

  it('a line is shown by the ends of lines that the language has', () => {
    const { audit } = plantWith({ 'src/a.ts': `export const text = 'a\u2028b';\n${loses}` });
    const { findings } = JSON.parse(audit('--json').out) as Output;
    expect(findings.map(({ code }) => code)).toEqual(['return (await fetch(url)).status;']);
  });

  it('a file that does not parse is named, and the others are read', () => {
    const { audit } = plantWith({ 'src/a.ts': 'export const = 1;\n', 'src/b.ts': loses });
    const { code, out } = audit();
    expect(code).toBe(0);
    expect(out).toContain('not read: src/a.ts: ');
    expect(out).toContain('A stop gets lost in 1 place (pass-signal 1)');
  });

  it('a file that was not read keeps no limit, and what was found beyond it is told first', () => {
    const { audit } = plantWith({ 'src/a.ts': 'export const = 1;\n', 'src/b.ts': loses });
    expect([audit('--max', '1').code, audit('--max', '0').code]).toEqual([2, 1]);
  });
});

describe('--since', () => {
  it('--since says only what a change adds, committed or not, in files known to git or not', () => {
    const { audit, write, git } = plantWith({ 'src/a.ts': loses });
    write('src/b.ts', swallows);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'second');
    write('src/c.ts', loses);
    expect(found(audit('--json', '--since', 'HEAD~1').out)).toEqual([
      'src/b.ts:4 rethrow-stops',
      'src/c.ts:3 pass-signal',
    ]);
    expect(found(audit('--json', '--since', 'HEAD').out)).toEqual(['src/c.ts:3 pass-signal']);
    expect(audit('--since', 'HEAD', '--max', '0').code).toBe(1);
  });

  it('what only moved, in its file or to another, is not added', () => {
    const { audit, write, remove } = plantWith({ 'src/a.ts': loses, 'src/b.ts': swallows });
    write('src/a.ts', `// A line more.\n\n${loses}`);
    remove('src/b.ts');
    write('src/moved.ts', swallows);
    expect(audit('--since', 'HEAD').out).toBe('No stop gets lost since HEAD, as far as types tell: 2 files read.\n');
  });

  it('a finding on a line that was not touched is added if the change made it one', () => {
    const before = loses.replace(', signal: AbortSignal', '').replace('  signal.throwIfAborted();\n', '');
    const { audit, write } = plantWith({ 'src/a.ts': before });
    write('src/a.ts', before.replace('url: string', 'url: string, _signal: AbortSignal'));
    expect(found(audit('--json', '--since', 'HEAD').out)).toContain('src/a.ts:2 pass-signal');
  });

  it('a second place like a known one is added', () => {
    const { audit, write } = plantWith({ 'src/a.ts': loses });
    write('src/a.ts', `${loses}${loses.replace('load(', 'loadAgain(')}`);
    expect(found(audit('--json', '--since', 'HEAD').out)).toHaveLength(1);
  });

  it('what a branch mended after this one left it was not added here', () => {
    const { audit, write, git } = plantWith({ 'src/a.ts': loses });
    git('branch', 'mine');
    write('src/a.ts', fine);
    git('commit', '--all', '--quiet', '--message', 'mend');
    git('checkout', '--quiet', 'mine');
    write('src/b.ts', swallows);
    expect(found(audit('--json', '--since', 'main').out)).toEqual(['src/b.ts:4 rethrow-stops']);
  });

  it('a history that has nothing in common is compared as it is', () => {
    const { audit, git } = plantWith({ 'src/a.ts': loses });
    git('checkout', '--quiet', '--orphan', 'other');
    git('commit', '--quiet', '--message', 'other');
    expect(found(audit('--json', '--since', 'main').out)).toEqual([]);
  });

  it('a revision that there is not ends with 2 and its name', () => {
    const { audit } = plantWith({ 'src/a.ts': fine });
    const { code, err } = audit('--since', 'nowhere');
    expect(code).toBe(2);
    expect(err).toBe("desist-audit: --since: there is no revision 'nowhere' here\n");
  });
});

it('what nobody foresaw ends with 2, and never looks like findings', () => {
  let err = '';
  const out = (): never => {
    throw new Error('the pipe is closed');
  };
  expect(main(['--help'], { cwd: '.', out, err: (text) => void (err += text) })).toBe(2);
  expect(err).toContain('the pipe is closed');
});
