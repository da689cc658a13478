/** An agent: a conversation of your own messages, a loop, tools. Whatever it waits for, `agent.cancel()` ends. */
import type OpenAI from 'openai';
import { InterruptController, type ToolContext } from 'desist';
import { foldOpenAIChat, readStream } from 'desist/llm';
import { Conversation, mapDialect } from 'desist/transcript';
import { openaiChat } from 'desist/transcript/openai-chat';

type Wire = OpenAI.ChatCompletionMessageParam;

/** A message as you keep it: more than the provider takes. */
export interface Message {
  readonly at: string;
  readonly wire: Wire;
}

export interface Tool {
  readonly description: string;
  /** A JSON schema. */
  readonly parameters: Record<string, unknown>;
  /** Pass on `signal` or `token`, and let a stop through: an error that says it was stopped is no result. */
  readonly run: (input: Record<string, unknown>, context: ToolContext) => unknown;
}

export interface AgentOptions {
  readonly client: OpenAI;
  readonly model: string;
  readonly tools: Readonly<Record<string, Tool>>;
  /** What was stored, also by a process that died in the middle of a call. */
  readonly messages?: readonly Message[];
  /** Called after each reply, result and message. */
  readonly save?: (messages: readonly Message[]) => void;
  /** Each piece of a reply as it comes. */
  readonly show?: (text: string) => void;
  readonly graceMs?: number;
}

const mine = mapDialect<Message, Wire>(openaiChat, {
  toWire: ({ wire }) => wire,
  fromWire: (wire) => ({ at: new Date().toISOString(), wire }),
});

export function createAgent({ client, model, tools, messages = [], save, show, graceMs = 1_000 }: AgentOptions) {
  const agent = new InterruptController({ name: 'starter', graceMs });
  const chat = new Conversation(mine, { messages });
  if (save) chat.onChange(() => save(chat.messages));
  const declared = Object.entries(tools).map(([name, { description, parameters }]) => ({
    type: 'function' as const,
    function: { name, description, parameters },
  }));

  function ask(prompt: string) {
    chat.late(agent.takeLateOutcomes());
    return chat.runTurn(agent, prompt, async (turn) => {
      for (;;) {
        let shown = 0;
        const reply = await turn.model(({ messages, signal, partial }) =>
          readStream(
            signal,
            (own) =>
              client.chat.completions.create(
                { model, stream: true, tools: declared, messages: messages.map(({ wire }) => wire) },
                own,
              ),
            {
              fold: foldOpenAIChat,
              requireComplete: true,
              onProgress(sofar) {
                partial(sofar);
                show?.(sofar.text.slice(shown));
                shown = sofar.text.length;
              },
            },
          ),
        );
        await turn.tools(reply.calls, async ({ name, input }, context) => {
          const tool = tools[name];
          if (tool === undefined) throw new TypeError(`there is no tool ${name}`);
          return tool.run(input as Record<string, unknown>, context);
        });
        if (reply.isLast && reply.status === 'completed') return reply.value.text;
      }
    });
  }

  return { agent, chat, ask };
}
