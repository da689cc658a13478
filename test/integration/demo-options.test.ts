import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';

import { Conversation } from './support/demo-conversation.ts';
import { runDemo } from './support/demo-run.ts';

const ESC = '\x1b';
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let talk: Conversation | undefined;
afterEach(() => talk?.close());

describe('the options of the demo', { timeout: 120_000 }, () => {
  it('--escape double: one ESC stops nothing, two do', async () => {
    talk = await Conversation.open('--escape=double');
    expect((await talk.untilPrompt())[1]).toMatch(/^ {2}ESC ESC stops it/);
    talk.type('Tell me a story.\r');
    await talk.sees(/Once upon/);
    talk.type(ESC);
    await pause(700);
    await talk.sees(/pressed a key/); // it goes on
    talk.type(ESC);
    await pause(100);
    talk.type(ESC);
    expect((await talk.untilPrompt()).join('\n')).toContain('stopped in N ms: User cancelled');
  });

  it('--inject: the backtick opens a line, and the model reads it before its next call', async () => {
    talk = await Conversation.open('--inject');
    expect((await talk.untilPrompt())[1]).toContain('the backtick opens a line for it');
    talk.type('Tell me a story.\r');
    await talk.sees(/Once upon/);
    talk.type('`');
    await talk.sees(/inject> /);
    talk.type('use pnpm\r');
    expect((await talk.untilPrompt()).join('\n')).toMatch(/inject> use pnpm\n[^]*Understood, I adjust the plan\./);
  });

  it('--trace: a page for each stop of the tour, with what was still running', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'desist-demo-traces-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { code, stdout } = await runDemo(['--trace'], { cwd: folder });
    const paths = [...stdout.matchAll(/^the picture of a stop: (.*)$/gm)].map(([, path]) => path ?? '');
    expect([code, paths.length > 3, await readdir(folder)]).toEqual([0, true, paths.map((path) => basename(path))]);
    const pages = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    for (const page of pages) expect(page).toMatch(/^<!doctype html>[^]*User cancelled/);
  });

  it('--ui ink: the same conversation, with a status line', async () => {
    talk = await Conversation.open('--ui=ink');
    await talk.sees(/>/);
    talk.type('Tell me a story.\r');
    await talk.sees(/Once upon/);
    await talk.sees(/main is working · \d+ s · esc to interrupt/);
    talk.type(ESC);
    await talk.sees(/── stopped in \d+ ms: User cancelled \(user\)[^]*Interrupted\. Tell main what to do instead\./);
    talk.type('quick\r');
    await talk.sees(/Here is a short answer\./);
    await talk.sees(/>/);
    talk.type('\x03');
    await talk.sees(/ctrl\+c again to leave/);
    talk.type('\x03');
    await talk.sees(/<exit 130>/);
    const { before, after, left, files } = await talk.finish();
    expect({ after, left, files }).toEqual({ after: before, left: [], files: [] });
  });

  it.each([
    [['--ui', 'web'], '--ui must be plain or ink, got "web"'],
    [['--escape', 'triple'], '--escape must be single, double or tiered, got "triple"'],
    [['--ui', 'ink', '--inject'], '--inject is for --ui plain: with Ink the line is always open'],
  ])('%j is refused in one line', async (args, line) => {
    const { code, stderr } = await runDemo(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `${line}\n` });
  });
});
