/** The agent: one loop in which every model call and every tool is given a token that a stop ends. */
import type Anthropic from '@anthropic-ai/sdk';
import { foldAnthropic, readStream } from 'desist/llm';
import type { ConversationTurn } from 'desist/transcript';
import type { Message } from './session.ts';
import type { Params, ToolManager } from './tools.ts';

const text = { type: 'object' as const, properties: { command: { type: 'string' }, query: { type: 'string' } } };
const tools = ['shell', 'search'].map((name) => ({ name, description: `Runs ${name}.`, input_schema: text }));

export class Agent {
  readonly #client: Anthropic;
  readonly #model: string;
  readonly #tools: ToolManager;

  constructor(tools: ToolManager, { client, name }: { readonly client: Anthropic; readonly name: string }) {
    this.#client = client;
    this.#model = name;
    this.#tools = tools;
  }

  /** @throws CancelledError – the turn was cancelled, wherever the agent was. */
  async run(turn: ConversationTurn<Message>): Promise<string> {
    for (;;) {
      const reply = await turn.model(({ messages, token, partial }) => {
        const body = { model: this.#model, max_tokens: 1024, messages, tools, stream: true as const };
        return readStream(token, ({ signal }) => this.#client.messages.create(body, { signal }), {
          fold: foldAnthropic,
          onProgress: partial,
        });
      });
      await turn.tools(
        reply.calls,
        ({ name, input }, { token }) => this.#tools.executeTool(name, (input ?? {}) as Params, { token }),
        { mode: 'sequential' },
      );
      if (reply.isLast && reply.status === 'completed') return reply.value.text;
    }
  }
}
