/** The agent: one loop that hands the token it was given to every model call and every tool. */
import type Anthropic from '@anthropic-ai/sdk';
import type { CancellationToken } from 'desist';
import { foldAnthropic, readStream } from 'desist/llm';
import { anthropic } from 'desist/transcript/anthropic';
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

  /** @throws CancelledError – the token was cancelled, wherever the agent was. */
  async run(messages: Message[], { token }: { readonly token: CancellationToken }): Promise<string> {
    for (;;) {
      const body = { model: this.#model, max_tokens: 1024, messages: [...messages], tools, stream: true as const };
      const reply = await readStream(token, ({ signal }) => this.#client.messages.create(body, { signal }), {
        fold: foldAnthropic,
      });
      const answer = { status: 'completed' as const, value: reply };
      messages.push(...anthropic.reply(answer)); // nothing, if it has said nothing
      const calls = anthropic.calls(answer);
      if (calls.length === 0) return reply.text;
      for (const { id, name, input } of calls) {
        const content = await this.#tools.executeTool(name, (input ?? {}) as Params, { token });
        messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] });
      }
    }
  }
}
