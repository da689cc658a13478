/** The demo's own session, with the tools of the suite besides its own. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InterruptController, type Interjection, type ToolContext, type TurnReport } from 'desist';
import type { ModelReply } from 'desist/llm';
import { anthropicModel, type Call } from '../../../../examples/agent/chat-model.ts';
import { Session } from '../../../../examples/agent/session.ts';
import type { Tool } from '../../../../examples/agent/tools.ts';
import type { AgentHarness } from '../../../../src/testing/index.ts';
import type { AgentCall, AgentRun, AgentStart } from '../../../../src/testing/agent-suite/index.ts';
import { programOf } from './program.ts';

const schema = { type: 'object' as const, properties: {}, required: [] };
const display = { text: () => undefined, tool: () => undefined };

function toolOf(name: string, { tools, asks, commits, ask }: AgentStart): Tool {
  const work = tools[name];
  return {
    name,
    description: 'works',
    schema,
    async run(_input, context: ToolContext<Call>) {
      if (asks.includes(name)) {
        const isAllowed = await context.ask<boolean>((respond) => {
          ask(name, respond);
        });
        if (!isAllowed) context.decline();
      }
      const run = async (): Promise<string> => (await work?.(context.signal, context)) ?? '';
      return commits.includes(name) ? context.commit(run) : run();
    },
  };
}

/** The session is the history: a conversation goes on in it. */
function run(start: AgentStart, agent: InterruptController): AgentRun {
  const tools = Object.keys(start.tools).map((name) => toolOf(name, start));
  const model = anthropicModel({ baseUrl: start.url, apiKey: undefined, model: 'scripted' });
  const mcp = new Client({ name: 'not connected', version: '1' });
  const session =
    (start.history as Session | undefined) ?? new Session({ model, mcp, workspace: '.', display, tools, agent });
  let report: TurnReport<string> | undefined;
  let typed: Interjection<string> | undefined;
  const late: AgentCall[] = [];
  session.agent.onEvent((event) => {
    if (event.type !== 'late-settled') return;
    late.push({ name: event.name, status: event.status === 'cancelled' ? 'stopped' : event.status });
  });
  const done = session.prompt(start.prompt).then((ended) => {
    report = ended;
  });
  return {
    done,
    cancel: () => session.agent.cancel('user'),
    interject: (text, options) => (typed = session.agent.interject(text, options)),
    withdraw: () => typed?.withdraw(),
    lateCalls: () => late,
    history: () => session,
    status: () => report?.status ?? 'failed',
    calls: () => report?.calls ?? [],
    stillRunning: () => report?.stop?.abandoned ?? [],
    undelivered: () => (report?.undelivered ?? []).map(({ message }) => String(message)),
    outputTokens: () =>
      (report?.partials.at(-1)?.value as ModelReply<unknown, unknown> | undefined)?.usage.outputTokens,
  };
}

export const demo: AgentHarness = {
  name: 'examples/agent',
  // A shorter grace than the demo's own: deaf tools are many here.
  start: (start) => run(start, new InterruptController({ name: 'main', graceMs: 250 })),
  startUnder: (start, _signal, context) => run(start, (context as ToolContext).subagent('helper')),
  startProgram: programOf('demo'),
  honours: ['asks', 'commits', 'verbatim', 'now', 'after-turn'],
};
