import { afterEach, describe, expect, it } from 'vitest';

import { startModelServer } from '../../src/testing/model-server/index.ts';
import { Conversation } from './support/demo-conversation.ts';
import { limitMs } from '../support/limit.ts';

const ESC = '\x1b';
const CTRL_C = '\x03';
const sleeps = /^sleep 6[12]$/;

let talk: Conversation;
afterEach(() => talk.close());

async function seesProcessTree(): Promise<void> {
  await talk.sees(/→ shell/);
  const commands = async (): Promise<string[]> => (await talk.mark.alive(sleeps)).map(({ command }) => command);
  await expect.poll(commands, { timeout: limitMs(30_000) }).toEqual(['sleep 61', 'sleep 62']);
}

/** Nothing of it is there any more, and the terminal is as it was. */
async function expectGone(): Promise<void> {
  const { before, after, stderr, left, files } = await talk.finish();
  expect(before).toContain(' icanon');
  expect({ after, stderr, left, files }).toEqual({ after: before, stderr: '', left: [], files: [] });
}

const report = (...rows: string[]): string[] => [
  '── stopped in N ms: User cancelled (user)',
  '  operation  name  agent  outcome  ms',
  ...rows,
  '── N left running',
  'Interrupted. Tell main what to do instead.',
];

describe('the demo in a terminal', { timeout: 120_000 }, () => {
  it('stops at ESC in the stream and in a process tree, goes on, and is gone after Ctrl+C twice', async () => {
    talk = await Conversation.open('--embedded');
    expect(await talk.untilPrompt()).toEqual([
      'A small agent that stops.',
      '  ESC stops it · Ctrl+C twice leaves · an empty line leaves',
      '  While it works: a line you type goes to it at once · /skip stops only its sub-agent',
      '  Background jobs survive ESC · /stop ends them',
      '  Words the embedded model knows: run, test, background, search, read, write, remove, delegate, consult, quick; anything else is a story.',
    ]);

    talk.type('Tell me a story.\r');
    expect(await talk.sees(/Once upon a time/)).toMatch(/^Tell me a story\.\r+\nOnce upon a time$/);
    talk.type(ESC);
    const afterEsc = await talk.untilPrompt();
    // At most the end of the line that was being written; of the story nothing comes after the report.
    if (afterEsc[0]?.startsWith('──') === false) afterEsc.shift();
    expect(afterEsc).toEqual(report('  model  model  main  cancelled  N'));
    expect(talk.text().match(/── 0 left running/g)).toHaveLength(1);

    talk.type('Something quick, please.\r');
    expect(await talk.untilPrompt()).toEqual(['Something quick, please.', 'Here is a short answer.']);

    talk.type('run\r');
    await seesProcessTree();
    const shells = await talk.mark.alive(/sh -c sleep 61 /);
    talk.type(ESC);
    const [, ...afterTree] = await talk.untilPrompt();
    // Settled means settled: looked at once, not waited for.
    expect(await talk.mark.alive(/sleep 6[12]/)).toEqual([]);
    expect(afterTree).toEqual(
      report(
        '  tool  shell  main  cancelled  N',
        '  process  sleep N & echo $! >> pids; sl (pid N)  main  cancelled  N',
        '  model  model  main  not-started  N',
      ),
    );
    expect(talk.text().match(/── 0 left running/g)).toHaveLength(2);
    const pid = Number(/\(pid (\d+)\)/.exec(talk.text())?.[1]);
    expect(shells.map((shell) => shell.pid)).toContain(pid);

    talk.type(CTRL_C);
    await talk.sees(/Ctrl\+C again leaves\./);
    await talk.untilPrompt();
    talk.type(CTRL_C);
    await talk.sees(/<exit 130>/);
    await expectGone();
  });

  it('takes the Ctrl+C that stopped a process tree for the first of two', async () => {
    talk = await Conversation.open('--embedded');
    await talk.untilPrompt();
    talk.type('run\r');
    await seesProcessTree();
    talk.type(CTRL_C);
    expect((await talk.untilPrompt()).slice(-2)).toEqual([
      '── N left running',
      'Interrupted. Tell main what to do instead.',
    ]);
    expect(await talk.mark.alive(/sleep 6[12]/)).toEqual([]);
    talk.type(CTRL_C);
    await talk.sees(/<exit 130>/);
    await expectGone();
  });

  it('leaves at once at Ctrl+C twice while a process tree runs, and takes it along', async () => {
    talk = await Conversation.open('--embedded');
    await talk.untilPrompt();
    talk.type('run\r');
    await seesProcessTree();
    talk.type(CTRL_C + CTRL_C);
    await talk.sees(/<exit 130>/);
    await expectGone();
  });

  it('asks before it deletes: a no and a yes are answers, ESC and Ctrl+C are not', async () => {
    talk = await Conversation.open('--embedded');
    await talk.untilPrompt();
    talk.type('write\r');
    await talk.untilPrompt();
    const question = /Delete notes\.txt\? \[y\/N\] /;
    const stopped = report('  tool  remove_file  main  not-started  N', '  model  model  main  not-started  N');

    talk.type('remove\r');
    await talk.sees(question);
    talk.type(ESC);
    expect(await talk.untilPrompt()).toEqual(stopped);

    talk.type('remove\r');
    await talk.sees(question);
    talk.type('n\r');
    expect(await talk.untilPrompt()).toEqual(['n', 'The tool has answered; that is all.']);

    expect(await talk.workspace()).toEqual(['notes.txt']);

    talk.type('remove\r');
    await talk.sees(question);
    talk.type('y\r');
    expect(await talk.untilPrompt()).toEqual(['y', 'The tool has answered; that is all.']);
    expect(await talk.workspace()).toEqual([]);

    talk.type('remove\r');
    await talk.sees(question);
    talk.type(CTRL_C);
    expect(await talk.untilPrompt()).toEqual(stopped);
    talk.type(CTRL_C);
    await talk.sees(/<exit 130>/);
    await expectGone();
  });

  it('takes a line typed while it works as a message, and /skip as the end of its sub-agent alone', async () => {
    talk = await Conversation.open('--embedded');
    await talk.untilPrompt();
    talk.type('Tell me a story.\r');
    await talk.sees(/Once upon a time/);
    talk.type('Use short words.\r');
    expect((await talk.untilPrompt()).slice(-2)).toEqual(['> Use short words.', 'Understood, I adjust the plan.']);

    talk.type('consult\r');
    await talk.sees(/\[reviewer\] Once upon a time/);
    talk.type('/skip\r');
    expect((await talk.untilPrompt()).slice(-2)).toEqual(['/skip', 'The tool has answered; that is all.']);

    talk.type('delegate\r');
    await talk.sees(/\[explore\] Once upon a time/);
    talk.type('/skip\r');
    expect((await talk.untilPrompt()).slice(-7)).toEqual(
      report(
        '  tool  delegate  main  cancelled  N',
        '  subagent  explore  main  cancelled  N',
        '  model  model  main  not-started  N',
      ),
    );
    talk.type('/skip\r');
    expect(await talk.untilPrompt()).toEqual(['/skip', 'No sub-agent works.']);
    talk.type('\r');
    await talk.sees(/<exit 0>/);
    await expectGone();
  });

  it('keeps a background job through ESC, ends it at /stop, and takes another along when it leaves', async () => {
    talk = await Conversation.open('--embedded');
    await talk.untilPrompt();
    const job = (): Promise<unknown[]> => talk.mark.alive(/^sleep 63$/);
    const ended = report(
      '  tool  shell  background  cancelled  N',
      '  process  echo $$ > background.pid; exec (pid N)  background  cancelled  N',
    ).slice(0, -1);

    talk.type('background\r');
    expect((await talk.untilPrompt()).at(-1)).toBe('The tool has answered; that is all.');
    await expect.poll(job, { timeout: limitMs(30_000) }).toHaveLength(1);
    talk.type('Tell me a story.\r');
    await talk.sees(/Once upon a time/);
    talk.type(ESC);
    expect((await talk.untilPrompt()).slice(-2)).toEqual([
      'In the background goes on: echo $$ > background.pid; exec sleep N',
      'Interrupted. Tell main what to do instead.',
    ]);
    expect(await job()).toHaveLength(1);

    talk.type('/stop\r');
    expect((await talk.untilPrompt()).slice(1)).toEqual([
      ...ended,
      'the background job has ended, stopped: echo $$ > background.pid; exec sleep N',
    ]);
    expect(await job()).toEqual([]);
    talk.type('/stop\r');
    expect((await talk.untilPrompt()).slice(1)).toEqual(['Nothing runs in the background.']);

    talk.type('background\r');
    await talk.untilPrompt();
    await expect.poll(job, { timeout: limitMs(30_000) }).toHaveLength(1);
    talk.type('\r');
    expect(await talk.sees(/<exit 0>/)).toMatch(/process +echo .* background +cancelled +\d+\s+── 0 left running/);
    await expectGone();
  });

  it('shows the error of a model in one line, goes on, and exits with 1 in the end', async () => {
    const server = await startModelServer({ script: [{ status: 500, message: 'The model is tired.' }, 'Fine again.'] });
    try {
      talk = await Conversation.open(`--base-url=${server.url}`);
      await talk.untilPrompt();
      talk.type('Hello.\r');
      const [typed, error, ...more] = await talk.untilPrompt();
      expect([typed, more]).toEqual(['Hello.', []]);
      expect(error).toMatch(/^the turn failed: N .*The model is tired\./);
      talk.type('And now?\r');
      expect(await talk.untilPrompt()).toEqual(['And now?', 'Fine again.']);
      talk.type('\r');
      await talk.sees(/<exit 1>/);
      await expectGone();
      expect(server.requests.map(({ status }) => status)).toEqual([500, 200]);
    } finally {
      await server.close();
    }
  });
});
