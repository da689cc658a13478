import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PassThrough } from 'node:stream';
import { Worker } from 'node:worker_threads';
import Anthropic from '@anthropic-ai/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CancelledError, CancellationTokenSource, InterruptController, type CancellationToken } from 'desist';
import type { SubprocessTool } from 'desist/child-process';
import { watchTerminal } from 'desist/terminal';
import { startModelServer } from 'desist/testing';
import { Conversation } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';
import { shareToken } from 'desist/worker';
import { describe, expect } from 'vitest';

import type * as agents from '../../../examples/classic/1-global-esc-monitor/agent.ts';
import type * as inputs from '../../../examples/classic/1-global-esc-monitor/input.ts';
import type * as sessions from '../../../examples/classic/1-global-esc-monitor/session.ts';
import type * as tools from '../../../examples/classic/1-global-esc-monitor/tools.ts';
import { hasDesktop, openDesktop } from '../../support/desktop/desktop.ts';
import {
  classicSystem,
  inCheck,
  part,
  planted,
  quietMs,
  type Stage,
  startMs,
  waitMs,
} from '../support/classic/criterion.ts';
import { askAfterFg } from '../support/classic/jobs.ts';
import { Program, until } from '../support/classic/program.ts';
import { node, openTerminal, type Screen } from '../support/terminal-pty.ts';
import { limitMs } from '../../support/limit.ts';

const folder = '1-global-esc-monitor';
const { criterion, inTable } = classicSystem('1 · Global ESC monitor');
const sessionPart = (stage: Stage): Promise<typeof sessions> => part(folder, 'session.ts', stage);
const toolPart = (stage: Stage): Promise<typeof tools> => part(folder, 'tools.ts', stage);
const inputPart = (stage: Stage): Promise<typeof inputs> => part(folder, 'input.ts', stage);

/** The agent, with the model of a server. */
async function agentAt(stage: Stage, url: string, manager: tools.ToolManager): Promise<agents.Agent> {
  const { Agent } = await part<typeof agents>(folder, 'agent.ts', stage);
  const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 });
  return new Agent(manager, { client, name: 'm' });
}
/** A part that never ends fails its check. */
const soon = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([work, sleep(2000).then(() => Promise.reject(new Error('never: the end')))]);
/** What it came to; the check says what it should have been. */
const end = (work: Promise<unknown>): Promise<unknown> => soon(work).catch((error: unknown) => error);
const forever = (token: CancellationToken): Promise<void> => token.whenCancelled().then(() => token.throwIfCancelled());
const untilStopped = ({ token }: { readonly token: CancellationToken }): Promise<void> => forever(token);

describe('classic 1: the token', () => {
  criterion('A token is live at first; cancelled, it keeps its reason and throws', {
    gap: 'nobody but the loop looked at the flag, and it had no reason',
    plant: { ...inCheck, red: /to deeply equal/ },
    check({ plant }) {
      const gap = plant !== undefined;
      const source = new CancellationTokenSource();
      expect([source.token.isCancelled, source.token.reason]).toEqual([false, undefined]);
      source.token.throwIfCancelled();
      if (!gap) source.cancel('enough');
      expect([source.token.isCancelled, source.token.reason?.message]).toEqual([true, 'enough']);
      expect(() => {
        source.token.throwIfCancelled();
      }).toThrow(CancelledError);
      return Promise.resolve();
    },
  });

  criterion('A token is consistent for several tasks and in the loop of a worker', {
    gap: 'a worker had a copy of the flag, from before the stop',
    plant: { ...inCheck, red: /never: the end/ },
    async check({ plant, closers }) {
      const source = new CancellationTokenSource();
      const { handle, transferList, release } = shareToken(
        plant === undefined ? source.token : new CancellationTokenSource(),
      );
      // Nothing but the shared memory reaches a loop that never lets go of its thread.
      const loop = `
        const { parentPort, workerData } = require('node:worker_threads');
        import('desist/worker').then(({ receiveToken }) => {
          const { token } = receiveToken(workerData);
          parentPort.postMessage('begun');
          while (!token.isCancelled);
          parentPort.postMessage(token.reason.message);
        });`;
      const worker = new Worker(loop, { eval: true, workerData: handle, transferList });
      closers.push(() => {
        release();
        return worker.terminate();
      });
      const said = on(worker, 'message');
      expect(await soon(said.next())).toMatchObject({ value: ['begun'] });
      const ends = Promise.allSettled([source.token, source.token].map(forever));
      source.cancel('enough');
      const messages = (await soon(ends)).map(
        (end) => end.status === 'rejected' && (end.reason as CancelledError).reason.message,
      );
      expect(messages).toEqual(['enough', 'enough']);
      expect(await soon(said.next())).toMatchObject({ value: ['enough'] });
    },
  });
});

describe('classic 1: the session manager', () => {
  criterion('`startExecution` makes a fresh token; cancelAll cancels every started one and no later one', {
    gap: 'one flag for all executions: the stop met the next one as well',
    plant: {
      file: 'session.ts',
      from: 'return this.registry.cancelAll();',
      to: 'return Promise.resolve().then(() => this.registry.cancelAll());',
      red: /to deeply equal/,
    },
    async check(stage) {
      const { SessionManager } = await sessionPart(stage);
      const session = new SessionManager('main');
      const first = session.startExecution('go', untilStopped);
      const second = session.startExecution('go', untilStopped);
      void session.cancelAll();
      const later = session.startExecution('go', untilStopped);
      expect([first, second, later].map(({ token }) => token.isCancelled)).toEqual([true, true, false]);
      expect(first.token.reason).toMatchObject({ kind: 'user', message: 'User cancelled' });
      await Promise.all([first.ended, second.ended]);
      void session.cancelAll();
      expect((await later.ended).status).toBe('cancelled');
    },
  });

  criterion('Each cancelled execution is in the log exactly once, others never', {
    gap: 'each part that saw the flag wrote it into the log',
    plant: {
      file: 'session.ts',
      from: 'cancelAll(): Promise<unknown> {',
      to: "cancelAll(): Promise<unknown> {\n    this.log.push({ event: 'EXECUTION_CANCELLED' } as LogEntry);",
      red: /to deeply equal/,
    },
    async check(stage) {
      const { SessionManager } = await sessionPart(stage);
      const session = new SessionManager('main');
      await session.startExecution('go', () => Promise.resolve('done')).ended;
      const { ended } = session.startExecution('go', untilStopped);
      void session.cancelAll();
      void session.cancelAll();
      await ended;
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
    },
  });
});

describe('classic 1: the tool manager', () => {
  const managed = async (stage: Stage, tool: tools.Tool): Promise<tools.ToolManager> =>
    new (await toolPart(stage)).ToolManager({ tool });
  const run = 'return await runSubprocessTool(token, tool.subprocess(params), { intervalMs: 100 });';

  criterion('A tool is never started under a token that is cancelled already', {
    gap: 'the flag was looked at when the tool had run',
    plant: {
      file: 'tools.ts',
      from: 'return await withCancellation(token, (context) => tool.run(params, context.signal, context.token), { name });',
      to: 'const answer = await tool.run(params, token.signal, token); token.throwIfCancelled(); return answer;',
      red: /expected 1 to be \+0/,
    },
    async check(stage) {
      let starts = 0;
      const tool: tools.Tool = { run: () => Promise.resolve(String((starts += 1))) };
      const { token } = cancelled();
      const manager = await managed(stage, tool);
      expect(await end(manager.executeTool('tool', {}, { token }))).toBeInstanceOf(CancelledError);
      expect(starts).toBe(0);
    },
  });

  criterion('A subprocess that is cancelled while it starts is killed once it has started', {
    gap: 'a command that was cancelled while it started ran on',
    plant: {
      file: 'tools.ts',
      from: run,
      to: `{
        const one = tool.subprocess(params);
        let isStarted = false;
        token.onCancelled(() => isStarted && void one.kill());
        await one.start();
        isStarted = true;
        token.throwIfCancelled();
        return one.result();
      }`,
      red: /expected \+0 to be 1/,
    },
    async check(stage) {
      const source = new CancellationTokenSource();
      let started: () => void = () => undefined;
      let kills = 0;
      const subprocess: SubprocessTool<string> = {
        start: () => new Promise<void>((resolve) => (started = resolve)),
        isRunning: () => kills === 0,
        kill: () => (kills += 1),
        result: () => 'done',
      };
      const manager = await managed(stage, { subprocess: () => subprocess });
      const running = manager.executeTool('tool', {}, { token: source.token });
      source.cancel();
      started();
      expect(await end(running)).toBeInstanceOf(CancelledError);
      expect(kills).toBe(1);
    },
  });

  criterion('A kill that throws is reported, and the cancel is the cancel all the same', {
    gap: 'an error of the kill was swallowed',
    plant: {
      file: 'tools.ts',
      from: run,
      to: `{
        const one = tool.subprocess(params);
        const kill = async () => { try { await one.kill(); } catch {} };
        return await runSubprocessTool(token, { ...one, kill }, { intervalMs: 100 });
      }`,
      red: /to deeply equal/,
    },
    async check(stage) {
      const errors: unknown[] = [];
      const source = new CancellationTokenSource({ onCallbackError: (error) => errors.push(error) });
      let kills = 0;
      const subprocess: SubprocessTool<string> = {
        start: () => undefined,
        isRunning: () => kills === 0,
        kill: () => {
          kills += 1;
          throw new Error('EPERM');
        },
        result: () => 'done',
      };
      const manager = await managed(stage, { subprocess: () => subprocess });
      const running = manager.executeTool('tool', {}, { token: source.token });
      setImmediate(source.cancel.bind(source), 'enough');
      expect(await end(running)).toBeInstanceOf(CancelledError);
      expect(errors).toEqual([new Error('EPERM')]);
    },
  });

  criterion('An async tool hears the stop', {
    gap: 'a tool that was waiting did not hear of the stop',
    plant: {
      file: 'tools.ts',
      from: 'tool.run(params, context.signal, context.token)',
      to: 'tool.run(params, new AbortController().signal, context.token)',
      red: /expected false to be true/,
    },
    async check(stage) {
      const source = new CancellationTokenSource();
      let heard = false;
      const tool: tools.Tool = {
        run: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              heard = true;
              reject(signal.reason as Error);
            });
          }),
      };
      const running = (await managed(stage, tool)).executeTool('tool', {}, { token: source.token });
      source.cancel();
      expect(await end(running)).toBeInstanceOf(CancelledError);
      expect(heard).toBe(true);
    },
  });
});

describe('classic 1: the MCP client', () => {
  criterion('A stop while an MCP server works raises the cancel, and the server is told', {
    gap: 'the MCP server was never told',
    plant: {
      file: 'tools.ts',
      from: 'await cancellableRequest(token, ({ signal }) => mcp.callTool(call, undefined, { signal }));',
      to: 'await mcp.callTool(call);',
      red: /never: the end/,
    },
    async check(stage) {
      const { closers } = stage;
      const { search, ToolManager } = await toolPart(stage);
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
      closers.push(() => Promise.all([client.close(), server.close()]));
      const source = new CancellationTokenSource();
      const run = new ToolManager({ search: search(client) }).executeTool('search', {}, { token: source.token });
      await soon(begun);
      source.cancel('enough');
      expect(await end(run)).toBeInstanceOf(CancelledError);
      expect(await soon(told)).toBe(true);
    },
  });
});

describe('classic 1: the input manager', () => {
  criterion('`isWaitingInput` is true exactly while a prompt is open, and false after input, a throw and a cancel', {
    gap: 'a prompt that had ended was still open for the keyboard',
    plant: {
      file: 'input.ts',
      from: '  get isWaitingInput(): boolean {\n    return this.#terminal',
      to: '  #isOpen = false;\n  get isWaitingInput(): boolean {\n    return this.#isOpen ||= this.#terminal',
      red: /expected true to be false/,
    },
    async check(stage) {
      const { closers } = stage;
      const { InputManager } = await inputPart(stage);
      const terminal = watchTerminal({ cancel: () => undefined, kill: () => undefined }, { input: new PassThrough() });
      closers.push(() => terminal.close());
      const input = new InputManager(terminal);
      const source = new CancellationTokenSource();
      const fails = (): Promise<never> => Promise.reject(new Error('closed'));
      const answers: (() => Promise<unknown>)[] = [() => Promise.resolve('yes'), fails, () => forever(source.token)];
      for (const answer of answers) {
        expect(input.isWaitingInput).toBe(false);
        const asked = terminal.prompt(answer);
        expect(input.isWaitingInput).toBe(true);
        source.cancel();
        await Promise.allSettled([asked]);
        expect(input.isWaitingInput).toBe(false);
      }
    },
  });
});

describe('classic 1: the agent', () => {
  criterion('A stop while the model answers closes the request, and the agent throws', {
    gap: 'the agent had a token of its own, and the request went on',
    plant: {
      file: 'agent.ts',
      from: 'readStream(token, (',
      to: 'readStream(undefined, (',
      red: /to deeply equal/,
    },
    async check(stage) {
      await using server = await startModelServer({ script: [{ text: 'one two three', silentAfter: 1 }] });
      const controller = new InterruptController();
      const agent = await agentAt(stage, server.url, new (await toolPart(stage)).ToolManager({}));
      const run = new Conversation(anthropic).runTurn(controller, 'Count.', (turn) => agent.run(turn as never));
      await server.waitFor(({ requests }) => requests.length === 1);
      controller.cancel('enough');
      const { status, stop } = await soon(run);
      expect({ status, abandoned: stop?.abandoned }).toEqual({ status: 'cancelled', abandoned: [] });
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
      expect(server.requests).toHaveLength(1);
    },
  });

  criterion('The token reaches each tool of the agent', {
    gap: 'the token ended at the agent, and the tool ran on',
    plant: {
      file: 'agent.ts',
      from: 'executeTool(name, (input ?? {}) as Params, { token })',
      to: 'executeTool(name, input as Params, { token: null as never })',
      red: /to deeply equal/,
    },
    async check(stage) {
      const script = [{ text: 'I run.', toolCalls: [{ name: 'shell', input: {} }] }];
      await using server = await startModelServer({ script });
      const controller = new InterruptController();
      const shell: tools.Tool = {
        run: (_params, _signal, token) => (controller.cancel('enough'), forever(token).then(String)),
      };
      const agent = await agentAt(stage, server.url, new (await toolPart(stage)).ToolManager({ shell }));
      const run = new Conversation(anthropic).runTurn(controller, 'Go.', (turn) => agent.run(turn as never));
      const { status, stop } = await soon(run);
      expect({ status, abandoned: stop?.abandoned }).toEqual({ status: 'cancelled', abandoned: [] });
      expect(server.requests).toHaveLength(1);
    },
  });
});

function cancelled(): CancellationTokenSource {
  const source = new CancellationTokenSource();
  source.cancel();
  return source;
}

describe('classic 1: the monitor', () => {
  const main = fileURLToPath(new URL('../../../examples/classic/1-global-esc-monitor/main.ts', import.meta.url));

  interface Windows {
    readonly desktop: Awaited<ReturnType<typeof openDesktop>>;
    readonly program: string;
    readonly other: string;
    readonly shows: (pattern: RegExp) => Promise<void>;
    readonly shown: () => string;
    /** Everybody who hears keys for it. */
    readonly hooks: () => Promise<number>;
  }

  /** The program in a window of its own, and another window. */
  async function windows({ closers, plant }: Stage): Promise<Windows> {
    const dir = await mkdtemp(join(tmpdir(), 'desist-classic-'));
    closers.push(() => rm(dir, { recursive: true, force: true }));
    const desktop = await openDesktop();
    closers.push(() => desktop.close());
    const screen = join(dir, 'screen');
    const command = 'unset ANTHROPIC_API_KEY; "$0" "$1" > "$DIR/screen"; echo "<exit $?>" >> "$DIR/screen"; read -r _';
    const other = await desktop.open('another window', ['cat']);
    const env = { DIR: dir, ...planted(plant) };
    const program = await desktop.open('classic 1', ['/bin/sh', '-c', command, node, main], env);
    const shown = (): string => (existsSync(screen) ? readFileSync(screen, 'utf8') : '');
    const shows: Windows['shows'] = async (pattern) => {
      for (const last = Date.now() + waitMs(startMs); !pattern.test(shown()); await sleep(20))
        if (Date.now() > last) throw new Error(`never saw ${String(pattern)} in:\n${shown()}`);
    };
    const hooks = async (): Promise<number> => {
      const words = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const isHook = async (pid: string): Promise<boolean> =>
        (await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')).includes('uiohook-napi') &&
        (await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')).includes(dir);
      return (await Promise.all(words.map(isHook))).filter(Boolean).length;
    };
    // Whatever a check leaves behind goes with its windows.
    closers.push(async () => {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      for (const pid of pids) {
        const environ = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
        if (environ.includes(`DIR=${dir}`)) process.kill(Number(pid), 'SIGKILL');
      }
    });
    await shows(/> /);
    return { desktop, program, other, shows, shown, hooks };
  }

  criterion('S31 With another window in front, ESC does nothing; in the window of the agent, it stops the run', {
    gap: 'the hook heard every ESC, whoever it was meant for',
    canRun: hasDesktop(),
    plant: {
      file: 'main.ts',
      from: 'watchGlobalHotkey(session.registry, { front })',
      to: 'watchGlobalHotkey(session.registry, { front, focusProbe: () => true })',
      red: /not to contain 'Operation cancelled'/,
    },
    async check(stage) {
      const { desktop, program, other, shows, shown } = await windows(stage);
      await desktop.focus(program);
      await desktop.press('s', 'Return');
      await shows(/Thinking/);
      await desktop.focus(other);
      await desktop.press('Escape');
      await sleep(quietMs(500));
      expect(shown()).not.toContain('Operation cancelled');
      await desktop.focus(program);
      await desktop.press('Escape');
      await shows(/Operation cancelled/);
    },
  });

  criterion('The end of the program leaves no process behind that hears keys', {
    gap: 'the thread that read the keyboard went on after the end',
    canRun: hasDesktop(),
    plant: {
      file: 'main.ts',
      from: 'const hotkey =',
      to: `const own = (await import('node:child_process')).spawn(
             process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'uiohook-napi'], { detached: true, stdio: 'ignore' });
           own.unref();
           const hotkey =`,
      red: /expected 1 to be \+0/,
    },
    async check(stage) {
      const { desktop, program, shows, hooks } = await windows(stage);
      expect(await hooks()).toBeGreaterThan(0);
      await desktop.focus(program);
      await desktop.press('Return');
      await shows(/<exit 0>/);
      expect(await hooks()).toBe(0);
    },
  });

  criterion('Where no key can be heard in other windows, one line says why, and ESC works in the terminal', {
    gap: 'without the permission the monitor was silent, and so was every key',
    plant: {
      file: 'main.ts',
      from: "if ((await hotkey.ready) === 'unavailable') say",
      to: "if ((await hotkey.ready) === 'unavailable') void",
      red: /never saw .*DISPLAY/,
    },
    async check({ closers, plant }) {
      const env = { MAIN: main, DISPLAY: '', ANTHROPIC_API_KEY: '', ...planted(plant) };
      const screen = await openTerminal('', env, ['/bin/sh', '-c', '"$NODE" "$MAIN"']);
      closers.push(() => screen.close());
      await screen.shows(/> /);
      await screen.shows(/\(.*DISPLAY names none\)\r\n/);
      screen.type('a story\r');
      await screen.shows(/Thinking/);
      await sleep(300);
      screen.type('\x1b');
      await screen.shows(/Operation cancelled/);
    },
  });
});

describe('classic 1: the program', () => {
  const main = fileURLToPath(new URL('../../../examples/classic/1-global-esc-monitor/main.ts', import.meta.url));

  interface Play {
    readonly screen: Screen;
    readonly answered: (keys: string, pattern: RegExp) => Promise<unknown>;
  }

  async function directory({ closers }: Stage): Promise<string> {
    const dir = await mkdtemp(join(tmpdir(), 'desist-classic-'));
    closers.push(() => rm(dir, { recursive: true, force: true }));
    return dir;
  }

  async function open({ closers, plant }: Stage, dir: string): Promise<Play> {
    const env = { MAIN: main, SESSION_FILE: join(dir, 'session.json'), DISPLAY: '', ...planted(plant) };
    const command = 'unset ANTHROPIC_API_KEY; "$NODE" "$MAIN"; echo "<exit $?>"; read -r _';
    const screen = await openTerminal('', env, ['/bin/sh', '-c', command]);
    closers.push(() => screen.close());
    await screen.shows(/> /);
    const answered: Play['answered'] = (keys, pattern) => {
      const from = screen.text().length;
      screen.type(keys);
      return screen.shows(pattern, from);
    };
    return { screen, answered };
  }

  const saved = async (dir: string): Promise<{ status: string; messages: readonly { role: string }[] }> =>
    JSON.parse(await readFile(join(dir, 'session.json'), 'utf8')) as never;

  criterion(
    'ESC clears what is typed and pauses the session; it cancels the thinking model, the command and the search',
    {
      gap: 'ESC was read by the prompt alone, and the work went on',
      plant: {
        file: 'main.ts',
        from: 'keepAlive: true,',
        to: 'keepAlive: true, escape: false,',
        red: /never saw .*Operation cancelled/,
      },
      async check(stage) {
        const dir = await directory(stage);
        const { screen, answered } = await open(stage, dir);
        await answered('never mind', /never mind/);
        await answered('\x1b', /Session paused\r\n[^]*> /);
        expect((await saved(dir)).status).toBe('paused');

        await answered('a story\r', /Thinking…/);
        await sleep(300);
        await answered('\x1b', /Operation cancelled[^]*> /);

        await answered(`sleep 10\r`, /Thinking…/);
        await sleep(400);
        const from = Date.now();
        await answered('\x1b', /Operation cancelled[^]*"turn":2,"kind":"user"[^]*> /);
        expect(Date.now() - from).toBeLessThan(limitMs(2_000));

        await answered('search\r', /Thinking…/);
        await sleep(400);
        await answered('\x1b', /Operation cancelled[^]*"turn":3[^]*> /);

        await answered('quick\r', /Here you are[^]*> /); // the conversation is taken again
        await answered('\r', /<exit 0>/);
        expect(screen.text().match(/EXECUTION_CANCELLED/g)).toHaveLength(3);
      },
    },
  );

  criterion('A session that was paused is resumed by the next start of the program', {
    gap: 'the conversation that was stopped was gone with the program',
    plant: {
      file: 'session.ts',
      from: 'if (this.#file === undefined) return;',
      to: 'return;',
      red: /ENOENT/,
    },
    async check(stage) {
      const dir = await directory(stage);
      const { answered } = await open(stage, dir);
      await answered('a story\r', /Thinking…/);
      await answered('\x1b', /Operation cancelled[^]*> /);
      await answered('\r', /<exit 0>/);
      const { messages } = await saved(dir);
      expect(messages[0]?.role).toBe('user');
      const again = await open(stage, dir);
      await again.screen.shows(new RegExp(`Session resumed, ${String(messages.length)} messages`));
      await again.answered('quick\r', /Here you are/);
    },
  });

  const own = { ANTHROPIC_API_KEY: '', DISPLAY: '' };

  async function program({ closers, plant }: Stage, env: Readonly<Record<string, string>>): Promise<Program> {
    const opened = await Program.open(folder, { plant, env: { ...own, ...env } });
    closers.push(async () => {
      await opened.close();
      await opened.mark.killAll();
    });
    return opened;
  }

  criterion('A file that holds no session is named and left as it is; one that cannot be written is named, too', {
    gap: 'the program ended in the middle of a stop, with a stack trace',
    plant: {
      file: 'session.ts',
      from: 'process.stderr.write(`The session is not saved: ${String(error)}\\n`);',
      to: 'throw error;',
      red: /never saw .*Session paused/,
    },
    async check(stage) {
      const dir = await directory(stage);
      const unwritable = await program(stage, { SESSION_FILE: join(dir, 'none', 'session.json') });
      await unwritable.sees(/> /, startMs);
      unwritable.type('\x1b');
      await unwritable.sees(/Session paused[^]*> /);
      unwritable.type('\r');
      const { code, stderr } = await unwritable.ended();
      expect(code).toBe('0');
      expect(stderr).toMatch(/^(?:The session is not saved: [^\n]*\n){2}$/);
      for (const text of ['', '{"mess', '{}', 'null']) {
        const file = join(dir, 'session.json');
        await writeFile(file, text);
        const broken = await program(stage, { SESSION_FILE: file });
        const end = await broken.ended();
        expect(end).toMatchObject({ code: '1', isRestored: true });
        expect(end.stderr).toMatch(/^\S*session\.json holds no session: [^\n]*\n$/);
        expect(await readFile(file, 'utf8')).toBe(text);
      }
    },
  });

  criterion('After a tool that there is not, and after an answer with nothing in it, the conversation goes on', {
    gap: 'a call without a result, or a message without content, made the provider refuse every later one',
    plant: {
      file: 'agent.ts',
      from: 'max_tokens: 1024, messages, tools',
      to: "max_tokens: 1024, messages: messages.filter(({ role, content }) => role !== 'user' || typeof content === 'string'), tools",
      red: /never saw .*Fine/,
    },
    async check(stage) {
      const script = [{ text: 'I try.', toolCalls: [{ name: 'frobnicate', input: {} }] }, 'Fine.', '', 'Well.'];
      await using server = await startModelServer({ script });
      const opened = await program(stage, { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url });
      const turns = [/Fine\./, /Thinking…/, /Well\./];
      for (const shown of turns) {
        await opened.sees(/> /, startMs);
        opened.type('go\r');
        await opened.sees(shown);
      }
    },
  });

  criterion('The end of the program by a signal, SIGKILL included, is the end of its command', {
    gap: 'the command ran on in a group of its own, with nobody to stop it',
    plant: { file: 'tools.ts', from: 'guardian: true', to: 'guardian: false', red: /expected 1 to be \+0/ },
    async check(stage) {
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        const opened = await program(stage, {});
        await opened.sees(/> /, startMs);
        opened.type('sleep 10\r');
        const sleeping = async (): Promise<number> => (await opened.mark.alive(/^sleep 10$/)).length;
        for (const last = Date.now() + waitMs(startMs); (await sleeping()) === 0 && Date.now() < last;) await sleep(20);
        expect(await sleeping()).toBe(1);
        const [main] = await opened.mark.alive(/main\.ts/);
        process.kill(main!.pid, signal);
        const isOrderly = signal === 'SIGTERM';
        expect(await opened.ended()).toMatchObject(isOrderly ? { code: '143', isRestored: true } : { code: '137' });
        for (const last = Date.now() + waitMs(1000); (await sleeping()) > 0 && Date.now() < last;) await sleep(20);
        expect(await sleeping()).toBe(0);
      }
    },
  });

  criterion('Ctrl+Z at the prompt and `fg`: the prompt is back, and hears', {
    gap: 'after `fg` no key was heard, not even Ctrl+C',
    plant: {
      file: 'input.ts',
      from: 'suspendOnCtrlZ(lines);',
      to: '',
      red: /never saw .*Here you are/,
    },
    check: (stage) =>
      askAfterFg(folder, stage, own, { prompt: /> \x1b\[3G$/, question: 'quick', answer: /Here you are[^]*> / }),
  });

  criterion('At the prompt Ctrl+C leaves when it comes twice, with 130, and says so', {
    gap: 'one Ctrl+C at the prompt was the end, with success, and what was typed was lost',
    plant: {
      file: 'input.ts',
      from: "lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));",
      to: '',
      red: /never saw .*again leaves/,
    },
    async check(stage) {
      const { answered } = await open(stage, await directory(stage));
      await answered('half a question', /half a question/);
      await answered('\x03', /Ctrl\+C again leaves[^]*half a question/);
      await answered('\x03', /<exit 130>/);
    },
  });

  criterion('Lines that are pasted at the prompt are one message', {
    gap: 'all but the first line were lost',
    plant: {
      file: 'input.ts',
      from: "[...typed, lines.line].join('\\n')",
      to: 'line',
      red: /to be 'one\\ntwo\\nthree'/,
    },
    async check(stage) {
      await using server = await startModelServer({ script: ['Fine.'] });
      const opened = await program(stage, { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url });
      await opened.sees(/> /, startMs);
      opened.type('one\rtwo\rthree');
      await until('the request', () => server.requests.length > 0);
      const sent = server.requests[0]!.body['messages'] as readonly { readonly content: unknown }[];
      expect(sent.at(-1)?.content).toBe('one\ntwo\nthree');
    },
  });

  criterion('Without a terminal it says so, and waits for nobody', {
    gap: 'with its input at an end it waited for ever',
    plant: { file: 'main.ts', from: '!process.stdin.isTTY', to: 'false', red: /expected .* to deeply equal/ },
    async check({ plant }) {
      const env = { ...process.env, ...own, ...planted(plant) };
      const child = spawn(node, [main], { env, stdio: ['pipe', 'ignore', 'pipe'] });
      let stderr = '';
      child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
      child.stdin.end('quick\n');
      const timer = setTimeout(() => child.kill(), waitMs(4000));
      const [code] = (await once(child, 'close')) as [number | null];
      clearTimeout(timer);
      expect([code, stderr]).toEqual([2, 'a conversation needs a terminal\n']);
    },
  });

  inTable();
});
