/** An agent in a process of its own: how it is started, and how its tools run commands. */
import { exec, spawn } from 'node:child_process';
import { cancellableExec } from '../../../src/adapters/child-process/index.ts';
import type { AgentHarness } from '../../../src/testing/index.ts';
import type { AgentProgram, AgentProgramStart } from '../../../src/testing/agent-suite/index.ts';

/** How the tools of a program run their commands. */
export interface ProgramOptions {
  /** Under the guardian of this package; as Node shows it by default. */
  readonly guardian?: boolean;
  /** The module that runs it. */
  readonly main?: URL;
  /** What the module is told besides. */
  readonly argument?: string;
}

const ownMain = new URL('own-program.ts', import.meta.url);

export function startProgram(
  start: AgentProgramStart,
  { guardian = false, main = ownMain, argument = '' }: ProgramOptions,
): AgentProgram {
  const given = JSON.stringify({ start, guardian, argument } satisfies ProgramArguments);
  const child = spawn(process.execPath, [main.pathname, given], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (child.pid === undefined) throw new Error('the program did not start');
  return { pid: child.pid };
}

/** What a program is told on its command line. */
export interface ProgramArguments {
  readonly start: AgentProgramStart;
  readonly guardian: boolean;
  readonly argument: string;
}

/** The body of a program: one run of the agent. */
export async function runProgram(harness: AgentHarness, { start, guardian }: ProgramArguments): Promise<void> {
  const { url, prompt, commands } = start;
  const tools = Object.entries(commands).map(([name, line]) => {
    const run = (signal?: AbortSignal): Promise<string> =>
      guardian
        ? Promise.resolve(cancellableExec(line, { token: signal, guardian: true })).then(({ stdout }) => stdout)
        : new Promise((resolve) => exec(line, { signal }, (_error, stdout) => resolve(stdout)));
    return [name, run] as const;
  });
  const none = { history: undefined, limitMs: undefined, idleMs: undefined, compactInto: undefined, hook: undefined };
  const lists = { asks: [], passive: [], commits: [], oneByOne: false, ask: () => undefined };
  await harness.start({ url, prompt, tools: Object.fromEntries(tools), ...none, ...lists }).done;
}
