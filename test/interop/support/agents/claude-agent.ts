/**
 * The Claude Agent SDK with tools of the program's own, alone as its documentation shows it, and under a turn. `CLAUDE_EXECUTABLE` names
 * the real executable, if it is there; by default a scripted one runs the loop.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSession, type ClaudeSession } from '../../../../src/adapters/claude-agent/index.ts';
import type { InterruptController, Turn } from '../../../../src/index.ts';
import type { AgentHarness, AgentRun, AgentStart } from '../../../../src/testing/agent-suite/index.ts';
import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { underController, type LoopTurn } from '../../../support/agents/under-controller.ts';
import type { Major } from '../../majors.ts';
import { startRenamingProxy } from '../claude/renaming-proxy.ts';
import type { AgentPair } from './pair.ts';

type Sdk = typeof import('@anthropic-ai/claude-agent-sdk');
type Options = NonNullable<Parameters<Sdk['query']>[0]['options']>;
type Query = ReturnType<Sdk['query']>;
type Prompt = Parameters<Sdk['query']>[0]['prompt'] extends string | AsyncIterable<infer M> ? M : never;
type Work = (given: { readonly signal: AbortSignal | undefined }, extra: unknown) => Promise<string>;

const scripted = fileURLToPath(new URL('../claude/loop-executable.ts', import.meta.url));
const real = process.env['CLAUDE_EXECUTABLE'];
/** Where executables keep their conversations. */
const home = mkdtempSync(join(tmpdir(), 'desist-claude-'));
process.on('exit', () => {
  rmSync(home, { recursive: true, force: true });
});
const prefix = 'mcp__suite__';

export async function claudeAgents(major: Major): Promise<AgentPair> {
  const sdk = await major.load<Sdk>('@anthropic-ai/claude-agent-sdk');
  const name = `claude-agent-sdk ${major.version('@anthropic-ai/claude-agent-sdk')}`;
  const optionsOf = (url: string, tools: Readonly<Record<string, Work>>, oneByOne: boolean): Options => {
    const annotations = { readOnlyHint: !oneByOne };
    const own = Object.entries(tools).map(([id, run]) =>
      sdk.tool(
        id,
        'works',
        {},
        async (_input, extra) => {
          const text = await run(extra as { signal: AbortSignal }, extra);
          return { content: [{ type: 'text', text }] };
        },
        { annotations },
      ),
    );
    return {
      pathToClaudeCodeExecutable: real ?? scripted,
      ...(real === undefined && { executable: process.execPath as 'node' }),
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        CLAUDE_CONFIG_DIR: home,
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'none',
        MAX_THINKING_TOKENS: '0',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        // The real one may ask nobody but the scripted model.
        HTTPS_PROXY: 'http://127.0.0.1:9',
        NO_PROXY: '127.0.0.1',
      },
      cwd: home,
      model: 'claude-sonnet-4-5',
      settingSources: [],
      mcpServers: { suite: sdk.createSdkMcpServer({ name: 'suite', version: '1', tools: own }) },
    };
  };

  function startBare({ url, prompt, tools: given, history }: AgentStart): AgentRun {
    const tools = Object.fromEntries(
      Object.entries(given).map(([id, run]): [string, Work] => [id, ({ signal }) => run(signal)]),
    );
    let id = history as string | undefined;
    let status: 'completed' | 'failed' = 'failed';
    let query: Query | undefined;
    let wake: () => void = () => undefined;
    const waiting: Prompt[] = [];
    const say = (content: string): void => {
      waiting.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' });
      wake();
    };
    let isOver = false;
    async function* prompts(): AsyncGenerator<Prompt, undefined> {
      while (!isOver) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    }
    /** The run is over with its result, and not with its process. */
    const run = async (over: () => void): Promise<void> => {
      const proxy = await startRenamingProxy(url, prefix);
      try {
        const resume = id === undefined ? {} : { resume: id };
        const options = { ...optionsOf(proxy.url, tools, false), ...resume, includePartialMessages: true };
        say(prompt);
        const allowedTools = Object.keys(tools).map((tool) => `${prefix}${tool}`);
        query = sdk.query({ prompt: prompts(), options: { ...options, allowedTools } });
        for await (const message of query) {
          if ('session_id' in message && message.session_id !== '') id = message.session_id;
          if (message.type !== 'result') continue;
          if (message.subtype !== 'success' || message.is_error) throw new Error(message.subtype);
          status = 'completed';
          over();
          break;
        }
      } finally {
        over();
        isOver = true;
        wake();
        query?.close();
        await proxy.close();
      }
    };
    return {
      done: new Promise<void>((resolve) => {
        run(resolve).catch(() => undefined);
      }),
      cancel: () => {
        void query?.interrupt().catch(() => undefined);
      },
      interject: say,
      history: () => id,
      status: () => status,
    };
  }
  const bare: AgentHarness = { name, start: startBare, honours: ['verbatim'] };

  /** A conversation is a session of the SDK, which is the agent's. */
  interface Held {
    readonly session: ClaudeSession<Query>;
    given: LoopTurn;
    readonly close: () => Promise<void>;
  }
  const sessions = new Map<InterruptController, Held>();
  /** Each scenario has a model of its own: conversations with another one are over. */
  const close = async (url?: string): Promise<void> => {
    const over = [...sessions].filter(([, { given }]) => given.url !== url);
    for (const [agent] of over) sessions.delete(agent);
    await Promise.all(over.map(([, held]) => held.close()));
  };
  const open = async (given: LoopTurn): Promise<Held> => {
    const proxy = await startRenamingProxy(given.url, prefix);
    const held: { given: LoopTurn } = { given };
    const tools = Object.fromEntries(
      Object.keys(given.tools).map((id): [string, Work] => [
        id,
        (_own, extra) =>
          session.use(extra, async (context) => await held.given.tools[id]!({ signal: context?.signal })),
      ]),
    );
    const allowedTools = Object.keys(tools).map((tool) => `${prefix}${tool}`);
    const session: ClaudeSession<Query> = openSession(given.agent, sdk.query, {
      dialect: anthropic,
      options: { ...optionsOf(proxy.url, tools, given.oneByOne), allowedTools },
    });
    const close = async (): Promise<void> => {
      await session.close();
      await proxy.close();
    };
    return Object.assign(held, { session, close });
  };
  const guarded = underController({
    name: `${name}, guarded`,
    async run(turn: Turn, given) {
      const { agent, messages } = given;
      void close(given.url);
      const held = sessions.get(agent) ?? (await open(given));
      sessions.set(agent, held);
      held.given = given;
      const { content } = messages.at(-1) as { readonly content: string };
      await held.session.prompt(turn, content);
    },
    nameOf: (tool) => tool.replace(prefix, ''),
    lacks: ['passive', 'idleMs', 'limitMs'],
    honours: ['oneByOne', 'verbatim'],
  });
  // Its executable waits for no tool: whether one has tidied up by then is a matter of which process is faster.
  return { name, bare, guarded, unfitAlone: ['S08'], close };
}
