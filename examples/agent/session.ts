/** The agent itself: one conversation that can be sent at any moment, and one loop. */
import {
  InterruptController,
  interruptedNote,
  lateNote,
  type Interjection,
  type StopReceipt,
  type ToolContext,
  type TurnReport,
} from 'desist';
import { Conversation, type ConversationTurn } from 'desist/transcript';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { inputOf, type Call, type ChatModel, type Message } from './chat-model.ts';
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
  readonly #chat: Conversation<Message>;

  constructor({ model, mcp, workspace, display, approve = answerNo, tools = [], agent, traces }: SessionOptions) {
    this.agent = agent ?? new InterruptController({ name: 'main', graceMs: 1500 });
    traces?.watch(this.agent);
    this.#model = model;
    this.#chat = new Conversation(model.dialect);
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
    return this.#chat.messages;
  }

  /** One prompt, from the person's words to the report. Whatever happens, the conversation can be sent again. */
  prompt(text: string): Promise<TurnReport<string>> {
    const prompt = [...notesOf(this.agent), text].join('\n\n');
    return this.#chat.runTurn(this.agent, prompt, (turn) => this.#loop(turn, this.#mainTools, 'main'), {
      budget: BUDGET,
    });
  }

  /** The model speaks, the tools run, until nobody has anything to add. No check can be forgotten: the turn makes them. */
  async #loop(turn: ConversationTurn<Message>, tools: readonly Tool[], agent: string): Promise<string> {
    for (;;) {
      const reply = await turn.model(({ messages, token, partial }) => {
        const onText = (delta: string): void => {
          this.#display.text(delta, agent);
        };
        return this.#model.read({ messages, tools, onText }, { token, partial });
      });
      await turn.tools(reply.calls, (call, context) => {
        this.#display.tool(call, agent);
        const tool = tools.find(({ name }) => name === call.name);
        if (tool === undefined) throw new TypeError(`there is no tool ${call.name}`);
        return tool.run(inputOf(call), context);
      });
      if (reply.isLast && reply.status === 'completed') return reply.value.text;
    }
  }

  /** A line that the person types while it works. */
  tell(line: string, options?: Parameters<InterruptController['interject']>[1]): Interjection {
    return this.agent.interject(line, options);
  }

  /** Stops the sub-agent that works, and not the agent it works for; `undefined` if none does. */
  skip(): StopReceipt | undefined {
    // A person's stop: of a sub-agent nobody knows that by itself.
    return [...this.#helpers].at(-1)?.cancel('user');
  }

  /** A sub-agent with tools of its own hangs on the call that asked for it: what stops the call stops it. */
  async #delegate(task: string, { subagent }: ToolContext<Call>, helper: Helper): Promise<string> {
    const { name, onChildInterrupted } = helper;
    const chat = new Conversation(this.#model.dialect);
    const agent = subagent(name, { onChildInterrupted });
    this.#helpers.add(agent);
    try {
      const report = await chat.runTurn(agent, task, (turn) => this.#loop(turn, this.#tools, name), { budget: BUDGET });
      return report.unwrap();
    } finally {
      this.#helpers.delete(agent);
    }
  }
}

/** What the model has not been told of a stop goes once in front of what the person says next: that it came, what ended late. */
function notesOf(agent: InterruptController): string[] {
  const reason = agent.consumeWasInterrupted();
  return [...(reason === undefined ? [] : [interruptedNote(reason)]), ...agent.takeLateOutcomes().map(lateNote)];
}
