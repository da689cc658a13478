/** One session of the looping agent: its conversation, and the loop of model and MCP tools. */
import type Anthropic from '@anthropic-ai/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { delay, type ToolContext } from 'desist';
import type { AcpPromptResponse, AcpTurn } from 'desist/acp';
import { foldAnthropic, readStream } from 'desist/llm';
import { cancellableRequest } from 'desist/mcp';
import { Conversation, type ConversationTurn, type TranscriptCall } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';
import { fileURLToPath } from 'node:url';
import type { Model } from './model.ts';

const MAX_ROUNDS = 8;
/** Between two rounds, for providers that count requests a minute. */
const PAUSE_MS = Number(process.env['ROUND_PAUSE_MS'] ?? 0);

const yesOrNo = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

export function say(text: string): object {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

type Turn = AcpTurn<ConversationTurn<Anthropic.MessageParam>>;

export interface Tools {
  readonly mcp: Client;
  readonly list: Anthropic.Tool[];
}

/** Starts the MCP server. */
export async function openTools(): Promise<Tools> {
  const mcp = new Client({ name: 'classic', version: '1.0.0' });
  const server = fileURLToPath(new URL('mcp-server.ts', import.meta.url));
  await mcp.connect(new StdioClientTransport({ command: process.execPath, args: [server], stderr: 'inherit' }));
  const { tools } = await mcp.listTools();
  const list = tools.map(({ name, description = '', inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema as Anthropic.Tool.InputSchema,
  }));
  return { mcp, list };
}

export class LoopSession {
  readonly #model: Model;
  readonly #tools: Tools;
  /** What a stop leaves behind can be sent again. */
  readonly chat: Conversation<Anthropic.MessageParam> = new Conversation<Anthropic.MessageParam>(anthropic);

  constructor(model: Model, tools: Tools) {
    [this.#model, this.#tools] = [model, tools];
  }

  /** The loop. Every call of `turn` checks for a stop before it starts anything. */
  async run(acp: Turn): Promise<AcpPromptResponse> {
    const { turn } = acp;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      if (round > 1) await delay(turn.token, PAUSE_MS);
      const { client, name } = this.#model;
      const reply = await turn.model(({ messages, token, partial }) => {
        const body = { model: name, max_tokens: 4096, messages, tools: this.#tools.list, stream: true as const };
        let shown = 0;
        return readStream(token, ({ signal }) => client.messages.create(body, { signal }), {
          fold: foldAnthropic,
          onProgress: (sofar) => {
            partial(sofar);
            if (sofar.text.length > shown) void acp.update(say(sofar.text.slice(shown)));
            shown = sofar.text.length;
          },
        });
      });
      await turn.tools(reply.calls, (call, context) => this.#call(call, context, acp));
      if (reply.isLast) return { stopReason: 'end_turn' };
    }
    return { stopReason: 'max_turn_requests' };
  }

  async #call({ id, name, input }: TranscriptCall, { signal, decline }: ToolContext, acp: Turn): Promise<string> {
    const toolCall = { toolCallId: id, title: name, rawInput: input };
    await acp.update({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
    if (name === 'remove') {
      const decision = await acp.requestPermission({ toolCall, options: yesOrNo });
      if (decision.outcome !== 'selected' || decision.optionId !== 'yes') return decline();
    }
    const params = { name, arguments: input as Record<string, unknown> };
    const { content } = await cancellableRequest(signal, (options) =>
      this.#tools.mcp.callTool(params, undefined, options),
    );
    await acp.update({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' });
    return (content as { text?: string }[]).map(({ text = '' }) => text).join('\n');
  }
}
