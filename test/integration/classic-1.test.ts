import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CancelledError, CancellationTokenSource, type CancellationToken } from 'desist';
import type { SubprocessTool } from 'desist/child-process';
import { watchTerminal } from 'desist/terminal';
import { startModelServer } from 'desist/testing';
import { receiveToken, shareToken } from 'desist/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Agent } from '../../examples/classic/1-global-esc-monitor/agent.ts';
import { InputManager } from '../../examples/classic/1-global-esc-monitor/input.ts';
import { SessionManager } from '../../examples/classic/1-global-esc-monitor/session.ts';
import { search, ToolManager, type Tool } from '../../examples/classic/1-global-esc-monitor/tools.ts';
import { openTerminal, type Screen } from './support/terminal-pty.ts';

/** Plants one mistake of the hand-made version back, so that the test of its name can be seen to fail. */
const gap = process.env['GAP'];
const forever = (token: CancellationToken): Promise<void> => token.cancelled().then(() => token.throwIfCancelled());

describe('classic 1: the token', () => {
  it('classic 1: a token is live at first; cancelled, it keeps its reason and throws', () => {
    const source = new CancellationTokenSource();
    expect([source.token.isCancelled, source.token.reason]).toEqual([false, undefined]);
    source.token.throwIfCancelled();
    if (gap !== 'token') source.cancel('enough');
    expect([source.token.isCancelled, source.token.reason?.message]).toEqual([true, 'enough']);
    expect(() => {
      source.token.throwIfCancelled();
    }).toThrow(CancelledError);
  });

  it('classic 1: a token is consistent for several tasks and on the other side of a worker’s port', async () => {
    const source = new CancellationTokenSource();
    const shared = shareToken(source.token);
    const received = receiveToken(shared.handle);
    const tasks = [source.token, source.token, received.token].map(forever);
    const ends = Promise.allSettled(tasks);
    source.cancel('enough');
    if (gap === 'shared') received.release();
    expect(received.token.isCancelled).toBe(true);
    const messages = (await ends).map(
      (end) => end.status === 'rejected' && (end.reason as CancelledError).reason.message,
    );
    expect(messages).toEqual(['enough', 'enough', 'enough']);
    received.release();
    shared.release();
  });
});

describe('classic 1: the session manager', () => {
  it('classic 1: startExecution makes a fresh token; cancelAll cancels every started one and no later one', async () => {
    const session = new SessionManager('main');
    const first = session.startExecution(forever);
    const second = session.startExecution(forever);
    void session.cancelAll();
    const later = session.startExecution(forever);
    if (gap === 'one-flag') void session.cancelAll();
    expect([first, second, later].map(({ token }) => token.isCancelled)).toEqual([true, true, false]);
    expect(first.token.reason).toMatchObject({ kind: 'user', message: 'User cancelled' });
    await Promise.all([first.ended, second.ended]);
    void session.cancelAll();
    expect((await later.ended).status).toBe('cancelled');
  });

  it('classic 1: each cancelled execution is in the log exactly once, others never', async () => {
    const session = new SessionManager('main');
    await session.startExecution(() => Promise.resolve('done')).ended;
    const { ended } = session.startExecution(forever);
    void session.cancelAll();
    void session.cancelAll();
    await ended;
    if (gap === 'double-log') session.log.push(...session.log);
    expect(session.log).toEqual([
      {
        event: 'EXECUTION_CANCELLED',
        session: 'main',
        turn: 2,
        kind: 'user',
        message: 'User cancelled',
        settledMs: expect.any(Number) as number,
      },
    ]);
  });
});

describe('classic 1: the tool manager', () => {
  const managed = (tool: Tool): ToolManager => new ToolManager({ tool });

  it('classic 1: a tool is never started under a token that is cancelled already', async () => {
    let starts = 0;
    const tool: Tool = { run: () => Promise.resolve(String((starts += 1))) };
    const { token } = cancelled();
    const run =
      gap === 'no-check' ? tool.run({}, token.signal, token) : managed(tool).executeTool('tool', {}, { token });
    await expect(run).rejects.toThrow(CancelledError);
    expect(starts).toBe(0);
  });

  it('classic 1: a subprocess that is cancelled while it starts is killed once it has started', async () => {
    const source = new CancellationTokenSource();
    let started: () => void = () => undefined;
    let kills = 0;
    const subprocess: SubprocessTool<string> = {
      start: () => new Promise<void>((resolve) => (started = resolve)),
      isRunning: () => kills === 0,
      kill: () => (gap === 'no-kill' ? 0 : (kills += 1)),
      result: () => 'done',
    };
    const run = managed({ subprocess: () => subprocess }).executeTool('tool', {}, { token: source.token });
    source.cancel();
    started();
    await expect(run).rejects.toThrow(CancelledError);
    expect(kills).toBe(1);
  });

  it('classic 1: a kill that throws is reported, and the cancel is the cancel all the same', async () => {
    const errors: unknown[] = [];
    const source = new CancellationTokenSource({ onCallbackError: (error) => errors.push(error) });
    let kills = 0;
    const subprocess: SubprocessTool<string> = {
      start: () => undefined,
      isRunning: () => kills === 0,
      kill: () => {
        kills += 1;
        if (gap !== 'quiet-kill') throw new Error('EPERM');
      },
      result: () => 'done',
    };
    const run = managed({ subprocess: () => subprocess }).executeTool('tool', {}, { token: source.token });
    setImmediate(source.cancel.bind(source), 'enough');
    await expect(run).rejects.toThrow(CancelledError);
    expect(errors).toEqual([new Error('EPERM')]);
  });

  it('classic 1: an async tool hears the stop', async () => {
    const source = new CancellationTokenSource();
    let heard = false;
    const tool: Tool = {
      run: (_, signal) =>
        new Promise((_resolve, reject) => {
          if (gap === 'deaf') return;
          signal.addEventListener('abort', () => {
            heard = true;
            reject(signal.reason as Error);
          });
        }),
    };
    const run = managed(tool).executeTool('tool', {}, { token: source.token });
    source.cancel();
    await expect(run).rejects.toThrow(CancelledError);
    expect(heard).toBe(true);
  });
});

describe('classic 1: the MCP client', () => {
  it('classic 1: a stop while an MCP server works raises the cancel, and the server is told', async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const server = new McpServer({ name: 'slow', version: '1.0.0' });
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const told = new Promise<boolean>((resolve) => {
      server.registerTool('search', { inputSchema: {} }, async (_, { signal }) => {
        begin();
        await new Promise((stop) => signal.addEventListener('abort', stop));
        resolve(signal.aborted);
        return { content: [] };
      });
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    const source = new CancellationTokenSource();
    const token = gap === 'mcp' ? new CancellationTokenSource().token : source.token;
    const run = new ToolManager({ search: search(client) }).executeTool('search', {}, { token });
    await begun;
    source.cancel('enough');
    await expect(run).rejects.toThrow(CancelledError);
    expect(await told).toBe(true);
    await Promise.all([client.close(), server.close()]);
  });
});

describe('classic 1: the input manager', () => {
  it('classic 1: isWaitingInput is true exactly while a prompt is open, and false after input, a throw and a cancel', async () => {
    const terminal = watchTerminal({ cancel: () => undefined, kill: () => undefined }, { input: new PassThrough() });
    const input = new InputManager(terminal);
    const source = new CancellationTokenSource();
    const fails = (): Promise<never> => Promise.reject(new Error('closed'));
    const answers: (() => Promise<unknown>)[] = [() => Promise.resolve('yes'), fails, () => forever(source.token)];
    for (const answer of answers) {
      expect(input.isWaitingInput).toBe(false);
      const asked = terminal.prompt(answer);
      expect(input.isWaitingInput).toBe(true);
      source.cancel();
      if (gap === 'waiting') terminal.gate.enter();
      await Promise.allSettled([asked]);
      expect(input.isWaitingInput).toBe(false);
    }
    await terminal.close();
  });
});

describe('classic 1: the agent', () => {
  it('classic 1: a stop while the model answers closes the request, and the agent throws', async () => {
    await using server = await startModelServer({ script: [{ text: 'one two three', silentAfter: 1 }] });
    const source = new CancellationTokenSource();
    const agent = new Agent(new ToolManager({}), { baseURL: server.url, apiKey: 'none', model: 'm' });
    const token = gap === 'own-token' ? new CancellationTokenSource().token : source.token;
    const run = agent.run([{ role: 'user', content: 'Count.' }], { token });
    await server.waitFor(({ requests }) => requests.length === 1);
    source.cancel('enough');
    await expect(run).rejects.toThrow(CancelledError);
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    expect(server.requests).toHaveLength(1);
  });

  it('classic 1: the token reaches each tool of the agent', async () => {
    const script = [{ text: 'I run.', toolCalls: [{ name: 'shell', input: {} }] }];
    await using server = await startModelServer({ script });
    const source = new CancellationTokenSource();
    const run: Tool = { run: (_params, _signal, token) => (source.cancel('enough'), forever(token).then(String)) };
    const agent = new Agent(new ToolManager({ shell: run }), { baseURL: server.url, apiKey: 'none', model: 'm' });
    await expect(agent.run([{ role: 'user', content: 'Go.' }], { token: source.token })).rejects.toThrow(
      CancelledError,
    );
    expect(server.requests).toHaveLength(1);
  });
});

function cancelled(): CancellationTokenSource {
  const source = new CancellationTokenSource();
  source.cancel();
  return source;
}

describe('classic 1: the program', () => {
  const main = fileURLToPath(new URL('../../examples/classic/1-global-esc-monitor/main.ts', import.meta.url));
  let dir: string;
  let screen: Screen;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'desist-classic-'));
  });
  afterEach(async () => {
    await screen.close();
    await rm(dir, { recursive: true, force: true });
  });

  async function open(): Promise<void> {
    const env = { MAIN: main, SESSION_FILE: join(dir, 'session.json'), ANTHROPIC_API_KEY: '', DISPLAY: '' };
    screen = await openTerminal('', env, [
      '/bin/sh',
      '-c',
      'unset ANTHROPIC_API_KEY; "$NODE" "$MAIN"; echo "<exit $?>"; read -r _',
    ]);
    await screen.shows(/> /);
  }

  async function answered(keys: string, pattern: RegExp): Promise<RegExpExecArray> {
    const from = screen.text().length;
    screen.type(keys);
    return screen.shows(pattern, from);
  }

  const saved = async (): Promise<{ status: string; messages: readonly { role: string }[] }> =>
    JSON.parse(await readFile(join(dir, 'session.json'), 'utf8')) as never;

  it('classic 1: ESC while text is typed clears it and pauses the session; while the model thinks it cancels; while a command sleeps it kills', async () => {
    await open();
    await answered('never mind', /never mind/);
    await answered('\x1b', /Session paused\r\n[^]*> /);
    expect((await saved()).status).toBe('paused');

    await answered('a story\r', /Thinking…/);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await answered(gap === 'program' ? 'x' : '\x1b', /Operation cancelled[^]*> /);

    await answered(`sleep 10\r`, /Thinking…/);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const from = Date.now();
    await answered('\x1b', /Operation cancelled[^]*"turn":2,"kind":"user"[^]*> /);
    expect(Date.now() - from).toBeLessThan(2_000);

    await answered('search\r', /Thinking…/);
    await new Promise((resolve) => setTimeout(resolve, 400));
    await answered('\x1b', /Operation cancelled[^]*"turn":3[^]*> /);

    await answered('quick\r', /Here you are[^]*> /); // the conversation is taken again
    await answered('\r', /<exit 0>/);
    expect(screen.text().match(/EXECUTION_CANCELLED/g)).toHaveLength(3);
  });

  it('classic 1: a session that was paused is resumed by the next start of the program', async () => {
    await open();
    await answered('a story\r', /Thinking…/);
    await answered('\x1b', /Operation cancelled[^]*> /);
    await answered('\r', /<exit 0>/);
    await screen.close();
    const { messages } = await saved();
    if (gap === 'resume') await rm(join(dir, 'session.json'));
    expect(messages[0]?.role).toBe('user');
    await open();
    await screen.shows(new RegExp(`Session resumed, ${String(messages.length)} messages`));
    await answered('quick\r', /Here you are/);
  });
});
