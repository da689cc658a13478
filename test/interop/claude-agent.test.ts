/** The Claude Agent SDK under a turn, by the recipe of its guide; its executable is a scripted one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { InterruptController } from '../../src/index.ts';
import { majors } from './majors.ts';
import { ClaudeSession } from './support/recipes/claude-agent.ts';
import { eventually } from '../support/eventually.ts';

const sdk = await majors[0]!.load<typeof import('@anthropic-ai/claude-agent-sdk')>('@anthropic-ai/claude-agent-sdk');
const executable = fileURLToPath(new URL('support/claude-executable.ts', import.meta.url));

type Permit = ConstructorParameters<typeof ClaudeSession>[1];

function stage(permit: Permit = (_tool, _input, respond) => respond(true), graceMs = 20_000) {
  const folder = mkdtempSync(join(tmpdir(), 'desist-claude-'));
  const file = join(folder, 'heard');
  const agent = new InterruptController({ name: 'main', graceMs });
  const session = new ClaudeSession(sdk, permit, {
    pathToClaudeCodeExecutable: executable,
    executable: process.execPath as 'node',
    env: { ...process.env, HEARD: file },
  });
  onTestFinished(async () => {
    session.stop.abort();
    await agent.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const heard = (): string[] => {
    try {
      return readFileSync(file, 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  };
  const read = vi.spyOn(session.claude, 'next');
  /** Resolves once the executable has heard a line, or the session has read something of it. */
  const until = async (where: 'heard' | 'read', what: string): Promise<void> => {
    await eventually(() => {
      expect(where === 'heard' ? heard().join('\n') : JSON.stringify(read.mock.settledResults)).toContain(what);
    });
  };
  const run = (prompt: string) => agent.runTurn((turn) => session.run(turn, prompt));
  return { agent, session, heard, until, run };
}

it.each(['Write', 'early'])('a prompt runs to its end, with its tool %s in the ledger', async (name) => {
  const { run, heard } = stage();
  const report = await run(`use ${name}`);
  expect(report.unwrap()).toBe('All done.');
  expect(report.calls).toMatchObject([{ id: 'call_1', name, status: 'completed', value: 'done' }]);
  expect(heard()).toEqual(['initialize', `prompt: use ${name}`, 'permission: allow', `ran ${name}`]);
});

it('the recipe of the guide is the one tested here', () => {
  const guide = readFileSync(new URL('../../docs/guides/claude-agent.md', import.meta.url), 'utf8');
  const recipe = readFileSync(new URL('support/recipes/claude-agent.ts', import.meta.url), 'utf8');
  expect(guide).toContain(recipe.replace('../../../../src/index.ts', 'desist'));
});

it('S15 a stop interrupts the executable, keeps its words, and the same session takes the next prompt', async () => {
  const { agent, run, heard, until } = stage();
  const running = run('talk');
  await until('read', 'word1 ');
  const { settled } = agent.cancel('user');
  const report = await running;
  expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
  expect(report.partials).toMatchObject([{ value: { text: expect.stringMatching(/^word0 word1 /) as string } }]);
  expect((await settled).operations).toMatchObject([{ kind: 'model', outcome: 'cancelled' }]);
  expect((await run('hello')).unwrap()).toBe('Heard: hello');
  expect(heard()).toEqual(['initialize', 'prompt: talk', 'interrupt', 'prompt: hello']);
});

it('S11 a stop while a person is asked is no denial: the tool does not run, and its row says so', async () => {
  let respond: (isAllowed: boolean) => unknown = () => undefined;
  const { agent, run, heard } = stage((_tool, _input, own) => {
    respond = own;
    agent.cancel('user');
  });
  const report = await run('use Write');
  expect(report).toMatchObject({
    status: 'cancelled',
    calls: [{ id: 'call_1', name: 'Write', status: 'not-started' }],
  });
  expect(respond(true)).toBe(false);
  expect((await run('hello')).unwrap()).toBe('Heard: hello');
  expect(heard()).not.toContain('ran Write');
});

it('a person who says no is heard by the model, and the turn goes on', async () => {
  const { run, heard } = stage((_tool, _input, respond) => respond(false));
  expect((await run('use Write')).unwrap()).toBe('Not done.');
  expect(heard()).toContain('permission: deny');
});

it('S21 a message cuts the words and is the next prompt of the same turn', async () => {
  const { agent, run, until } = stage();
  const running = run('talk');
  await until('read', 'word1 ');
  agent.interject('use pnpm', { delivery: 'now' });
  const report = await running;
  expect(report.unwrap()).toBe('Heard: [PRIORITY USER MESSAGE]: use pnpm');
  expect(report.partials).toMatchObject([{ reason: { kind: 'interjection' } }]);
  expect(report.undelivered).toEqual([]);
});

it('S01 an executable that hears no interrupt is killed when the grace is over', async () => {
  const { agent, session, run, until } = stage(undefined, 50);
  const running = run('deaf');
  await until('heard', 'prompt: deaf');
  const { settled } = agent.cancel('user');
  expect(await running).toMatchObject({ status: 'cancelled' });
  expect((await settled).abandoned).toEqual(['model']);
  expect(session.stop.signal.aborted).toBe(true);
  expect(await session.claude.next().catch(() => ({ done: true }))).toMatchObject({ done: true });
  expect((await run('hello')).status).toBe('failed');
});
