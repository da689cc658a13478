/** The agent itself: one conversation, one loop, and what a stop leaves behind put right before the next prompt. */
import {
  InterruptController,
  interruptedNote,
  lateNote,
  priorityMessage,
  type StopReceipt,
  type ToolContext,
  type Turn,
  type TurnReport,
} from 'desist';
import { settleTranscript } from 'desist/transcript';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Call, ChatModel, Message } from './chat-model.ts';
import { Background } from './background.ts';
import { createMainTools, createTools, type Helper, type Question, type Tool, type ToolWorld } from './tools.ts';
import type { Traces } from './traces.ts';

/** What the screen is told; `agent` says whose words they are. */
export interface Display {
  text(delta: string, agent: string): void;
  tool(call: Call, agent: string): void;
}

export interface SessionOptions {
  readonly model: ChatModel;
  readonly mcp: Client;
  readonly workspace: string;
  readonly display: Display;
  /** Puts a question to the person; by default nobody is there, and the answer is no. */
  readonly approve?: ((question: Question) => void) | undefined;
  /** Tools of the caller's, for the main agent. */
  readonly tools?: readonly Tool[] | undefined;
  /** Whom it belongs to, if it is part of something bigger: a sub-agent of a call. */
  readonly agent?: InterruptController | undefined;
  /** Draws its stops. */
  readonly traces?: Traces | undefined;
}

/** More than any honest task needs; a model that goes round in circles ends here. */
const BUDGET = { modelCalls: 40 };

function answerNo({ respond }: Question): void {
  respond(false);
}

export class Session {
  readonly agent: InterruptController;
  readonly background: Background = new Background();
  readonly #model: ChatModel;
  readonly #display: Display;
  readonly #tools: readonly Tool[];
  readonly #mainTools: readonly Tool[];
  readonly #helpers = new Set<InterruptController>();
  #messages: readonly Message[] = [];

  constructor({ model, mcp, workspace, display, approve = answerNo, tools = [], agent, traces }: SessionOptions) {
    this.agent = agent ?? new InterruptController({ name: 'main', graceMs: 1500 });
    traces?.watch(this.agent);
    this.#model = model;
    this.#display = display;
    const world: ToolWorld = {
      workspace,
      mcp,
      approve,
      delegate: this.#delegate.bind(this),
      inBackground: this.background.start.bind(this.background),
    };
    this.#tools = createTools(world);
    this.#mainTools = [...this.#tools, ...createMainTools(world), ...tools];
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** One prompt, from the person's words to the report. Whatever happens, the conversation can be sent again. */
  async prompt(text: string): Promise<TurnReport<string>> {
    const messages: Message[] = [...this.#messages, { role: 'user', content: text }];
    const report = await this.agent.runTurn((turn) => this.#loop(turn, messages, this.#mainTools, 'main'), {
      budget: BUDGET,
    });
    this.#messages = settleTranscript(messages, {
      dialect: this.#model.dialect,
      outcomes: report.calls,
      partials: report.partials,
      reason: report.stop?.reason,
    }).messages;
    return report;
  }

  /** The model speaks, the tools run, until nobody has anything to add. No check can be forgotten: the turn makes them. */
  async #loop(turn: Turn, messages: Message[], tools: readonly Tool[], agent: string): Promise<string> {
    for (;;) {
      const reply = await turn.model((context) => {
        if (agent === 'main') tellOfStop(messages, this.agent);
        const onText = (delta: string): void => {
          this.#display.text(delta, agent);
        };
        return this.#model.read({ messages, tools, onText }, context);
      });
      const said = reply.status === 'completed' ? reply.value : undefined;
      if (said?.message !== undefined) messages.push(said.message);
      const outcomes = await turn.tools(said?.calls ?? [], (call, context) => {
        this.#display.tool(call, agent);
        const tool = tools.find(({ name }) => name === call.name);
        if (tool === undefined) throw new TypeError(`there is no tool ${call.name}`);
        return tool.run(call.input, context);
      });
      // Answers every call with what became of it, and closes a reply that a message cut short.
      const partials =
        reply.status === 'interjected' ? [{ modelCall: 1, value: reply.partial, reason: reply.reason }] : [];
      messages.splice(
        0,
        messages.length,
        ...settleTranscript(messages, { dialect: this.#model.dialect, outcomes, partials }).messages,
      );
      const news = turn.takeInterjections();
      for (const { message } of news) messages.push({ role: 'user', content: priorityMessage(String(message)) });
      // What a message cut is no answer, also if the message was taken back meanwhile.
      if (reply.status === 'completed' && outcomes.length === 0 && news.length === 0) return reply.value.text;
    }
  }

  /** Stops the sub-agent that works, and not the agent it works for; `undefined` if none does. */
  skip(): StopReceipt | undefined {
    // A person's stop: of a sub-agent nobody knows that by itself.
    return [...this.#helpers].at(-1)?.cancel('user');
  }

  /** A sub-agent with tools of its own hangs on the call that asked for it: what stops the call stops it. */
  async #delegate(task: string, { subagent }: ToolContext<Call>, helper: Helper): Promise<string> {
    const { name, onChildInterrupted } = helper;
    const messages: Message[] = [{ role: 'user', content: task }];
    const agent = subagent(name, { onChildInterrupted });
    this.#helpers.add(agent);
    try {
      const report = await agent.runTurn((turn) => this.#loop(turn, messages, this.#tools, name), { budget: BUDGET });
      return report.unwrap();
    } finally {
      this.#helpers.delete(agent);
    }
  }
}

/** What the model has not been told of a stop goes once in front of what the person says next: that it came, what ended late. */
function tellOfStop(messages: Message[], agent: InterruptController): void {
  const last = messages.at(-1);
  if (last?.role !== 'user' || typeof last.content !== 'string') return;
  const reason = agent.consumeWasInterrupted();
  const notes = [...(reason === undefined ? [] : [interruptedNote(reason)]), ...agent.takeLateOutcomes().map(lateNote)];
  messages[messages.length - 1] = { role: 'user', content: [...notes, last.content].join('\n\n') };
}
