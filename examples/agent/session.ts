/** The agent itself: one conversation, one loop, and what a stop leaves behind put right before the next prompt. */
import {
  InterruptController,
  interruptedNote,
  priorityMessage,
  type CancelReason,
  type ToolContext,
  type Turn,
  type TurnReport,
} from 'desist';
import { settleTranscript } from 'desist/transcript';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Call, ChatModel, Message } from './chat-model.ts';
import { createTools, type Tool } from './tools.ts';

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
}

export class Session {
  readonly agent: InterruptController = new InterruptController({ name: 'main', graceMs: 1500 });
  readonly #model: ChatModel;
  readonly #display: Display;
  readonly #tools: readonly Tool[];
  #messages: readonly Message[] = [];

  constructor({ model, mcp, workspace, display }: SessionOptions) {
    this.#model = model;
    this.#display = display;
    this.#tools = createTools({ workspace, mcp, delegate: (task, context) => this.#delegate(task, context) });
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** One prompt, from the person's words to the report. Whatever happens, the conversation can be sent again. */
  async prompt(text: string): Promise<TurnReport<string>> {
    const messages: Message[] = [...this.#messages, { role: 'user', content: text }];
    const report = await this.agent.runTurn((turn) => this.#loop(turn, messages, this.#tools, 'main'));
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
        if (agent === 'main') tellOfInterrupt(messages, this.agent.consumeWasInterrupted());
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
      if (outcomes.length === 0 && news.length === 0) return said?.text ?? '';
    }
  }

  /** A sub-agent with tools of its own hangs on the call that asked for it: what stops the call stops it. */
  async #delegate(task: string, { subagent }: ToolContext<Call>): Promise<string> {
    const tools = this.#tools.filter(({ name }) => name !== 'delegate');
    const messages: Message[] = [{ role: 'user', content: task }];
    const report = await subagent('explore').runTurn((turn) => this.#loop(turn, messages, tools, 'explore'));
    return report.unwrap();
  }
}

/** The one-time note goes in front of what the person says next. */
function tellOfInterrupt(messages: Message[], reason: CancelReason | undefined): void {
  if (reason === undefined) return;
  const last = messages.at(-1);
  if (last?.role !== 'user' || typeof last.content !== 'string') return;
  messages[messages.length - 1] = { role: 'user', content: `${interruptedNote(reason)}\n\n${last.content}` };
}
