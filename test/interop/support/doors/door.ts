/** A door as the table of doors and facts sees it: a loop with tools of the test, under a turn. */
import { onTestFinished } from 'vitest';
import type { TurnBudget, TurnReport } from '../../../../src/index.ts';
import type { AgentHarness, AgentRun, AgentStart } from '../../../../src/testing/agent-suite/index.ts';
import type { Framework } from '../frameworks/framework.ts';
import { startModelServer, type ModelScript, type ModelServer } from '../../../../src/testing/model-server/index.ts';

export const factNames = [
  'a call that is stopped alone is told as stopped part-way',
  'a call that is left behind alone is told as one that may still complete',
  'a call that the person declines is told as declined',
  'a call that a stop kept from its answer is told as not started',
  'a stop of a request to a server of MCP is a stop, and tells that server nothing of the person',
  'what each reply has cost counts for the budget',
  'a tool that leaves its loop for a person is neither completed nor told',
  'a message is for the loop of the turn, and for none that is aside',
  'a message is for the loop of the turn, and for none that a tool runs',
  'whatever a tool throws is a failure of its call',
  'two hundred calls of one reply are stopped at once, each with a row',
  'a copy of a turn, a proxy and an object made of it are that turn',
] as const;
export type FactName = (typeof factNames)[number];

export interface Door {
  readonly name: string;
  /** How many calls of one reply its framework runs at once, where that is limited. */
  readonly mostAtOnce?: number;
  /** Its loop under a controller. */
  readonly harness?: AgentHarness;
  /** Runs a loop whose first reply calls a tool, with a budget; gives its report, and how often the model was asked. */
  readonly spend?: (budget: TurnBudget) => Promise<{ readonly report: TurnReport<unknown>; readonly asked: number }>;
  /** The loops of the framework itself. */
  readonly frameworks?: readonly Framework[];
  /** Runs a loop whose tool leaves it for a person; gives its rows, and the requests of the model. */
  readonly leave?: () => Promise<{ readonly rows: readonly string[]; readonly requests: readonly string[] }>;
  /** Facts that say nothing of it, and why. */
  readonly leftOut: Partial<Record<FactName, string>>;
  readonly close?: (() => Promise<void>) | undefined;
}

export interface DoorStage {
  readonly server: ModelServer;
  start(prompt: string, tools: AgentStart['tools'], given?: Partial<AgentStart>): AgentRun;
  /** What the last request says. */
  lastRequest(): string;
}

/** The loop of a door against a scripted model. */
export async function doorStage({ start }: AgentHarness, script: ModelScript): Promise<DoorStage> {
  const server = await startModelServer({ script });
  onTestFinished(() => server.close());
  const nothing = {
    history: undefined,
    limitMs: undefined,
    idleMs: undefined,
    compactInto: undefined,
    hook: undefined,
  };
  return {
    server,
    start: (prompt, tools, given) =>
      start({
        ...{ url: server.url, prompt, tools, ...nothing, oneByOne: false },
        ...{ asks: [], ask: () => undefined, passive: [], commits: [] },
        ...given,
      }),
    lastRequest: () => JSON.stringify(server.requests.at(-1)?.body),
  };
}
