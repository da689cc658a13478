/** The agents: main → planner → explorer → shell, each one the same loop with tools of its own. */
import { setTimeout } from 'node:timers/promises';
import type Anthropic from '@anthropic-ai/sdk';
import { PRIORITY_INSTRUCTION, type InterruptController, type ToolContext } from 'desist';
import { cancellableExec } from 'desist/child-process';
import { foldAnthropic, readStream } from 'desist/llm';
import { Conversation, type ConversationTurn, type TranscriptCall } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';

export type Message = Anthropic.MessageParam;
type Role = 'main' | 'planner' | 'explorer' | 'helper';

const input_schema = { type: 'object' as const, properties: { text: { type: 'string' } } };
const tools = (...names: string[]): Anthropic.Tool[] =>
  names.map((name) => ({ name, description: `Runs ${name} with a text.`, input_schema }));
const toolsOf = {
  main: tools('plan', 'explore'),
  planner: tools('explore'),
  explorer: tools('shell', 'index'),
  helper: [],
} as const satisfies Record<Role, Anthropic.Tool[]>;

// A library's: it takes no signal.
const index = (): Promise<string> => setTimeout(3000, 'indexed');

export interface CrewOptions {
  readonly client: Anthropic;
  readonly model: string;
  /** Where the agents' text goes. */
  readonly write: (text: string) => void;
  /** Silence of the model after which it is asked to go on from where it was. */
  readonly idleMs: number;
}

export class Crew {
  /** The sub-agents that work, by name. */
  readonly working: Map<string, InterruptController> = new Map();
  readonly #options: CrewOptions;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** Whatever is said is in the conversation. Every call of `turn` checks for a stop before it starts anything. */
  async loop(role: Role, turn: ConversationTurn<Message>): Promise<string> {
    const { client, model, idleMs } = this.#options;
    // What works beside is not shown.
    const write = role === 'helper' ? (): void => undefined : this.#options.write;
    // After a silence the model is asked again: what came before it stays, and the model goes on behind it.
    const limits = { idleMs, recover: { attempts: 1, backoffMs: 300 } };
    for (;;) {
      const reply = await turn.model(({ messages, token, partial }) => {
        const system = PRIORITY_INSTRUCTION;
        const body = { model, max_tokens: 4096, system, tools: toolsOf[role], stream: true as const, messages };
        let shown = 0;
        return readStream(token, ({ signal }) => client.messages.create(body, { signal }), {
          fold: foldAnthropic,
          onProgress: (sofar) => {
            partial(sofar);
            if (!token.isCancelled) write(sofar.text.slice(shown));
            shown = sofar.text.length;
          },
        });
      }, limits);
      write('\n');
      const { calls } = reply;
      await turn.tools(calls, (call, context) => this.#run(call, context), { mode: 'sequential' });
      if (reply.isLast && reply.status === 'completed') return reply.value.text;
    }
  }

  async #run({ name, input }: TranscriptCall, context: ToolContext): Promise<string> {
    const { text = '' } = (input ?? {}) as { text?: string };
    this.#options.write(`· ${name} ${text}\n`);
    if (name === 'plan') return this.#delegate('planner', text, context);
    if (name === 'explore') return this.#delegate('explorer', text, context);
    if (name === 'index') return index();
    if (name !== 'shell') throw new TypeError(`there is no tool ${name}`);
    const { stdout, stderr, exitCode } = await cancellableExec(text, { token: context.token });
    context.token.throwIfCancelled();
    return exitCode === 0 ? stdout : `${stdout}${stderr}(exit code ${String(exitCode)})`;
  }

  /** A sub-agent hangs on its call: stops go down at once, and what stops it alone comes up with its name. */
  async #delegate(role: Role, task: string, { subagent }: ToolContext): Promise<string> {
    const agent = subagent(role, { onChildInterrupted: 'contain' });
    this.working.set(role, agent);
    const chat = new Conversation<Message>(anthropic);
    const report = await chat.runTurn(agent, task, (turn) => this.loop(role, turn));
    this.working.delete(role);
    return report.unwrap();
  }
}
