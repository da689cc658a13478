/** A chat model of LangChain that asks the scripted server over Chat Completions, whole and as a stream. */
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import type { BaseMessage } from '@langchain/core/messages';
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs';
import type { Major } from '../../majors.ts';

interface ChatCall {
  /** In a stream only with the first piece of a call. */
  readonly id?: string;
  readonly index?: number;
  readonly function: { readonly name: string; readonly arguments: string };
}
interface Said {
  readonly content?: string | null;
  readonly tool_calls?: readonly ChatCall[];
}
interface Completion {
  readonly choices: readonly { readonly message?: Said; readonly delta?: Said }[];
}

const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', tool: 'tool', system: 'system' };

/** What a message is in Chat Completions. */
function wireOf(message: BaseMessage): object {
  const { tool_calls: calls, tool_call_id: id } = message as unknown as {
    tool_calls?: { id: string; name: string; args: unknown }[];
    tool_call_id?: string;
  };
  return {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one word for it in both majors
    role: roles[message.getType()],
    content: message.content,
    ...(id === undefined ? {} : { tool_call_id: id }),
    ...(calls === undefined || calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.args) },
          })),
        }),
  };
}

/** The events of a streamed answer. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Completion> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data: {')) yield JSON.parse(line.slice('data: '.length)) as Completion;
    }
  }
}

/** The class, made of one major's own. */
export async function serverModel(major: Major) {
  const models = await major.load<typeof import('@langchain/core/language_models/chat_models')>(
    '@langchain/core/language_models/chat_models',
  );
  const messages = await major.load<typeof import('@langchain/core/messages')>('@langchain/core/messages');
  const outputs = await major.load<typeof import('@langchain/core/outputs')>('@langchain/core/outputs');

  return class ServerModel extends models.BaseChatModel {
    readonly #url: string;
    readonly #headers = { 'content-type': 'application/json' };

    constructor(url: string, maxRetries = 0) {
      super({ maxRetries });
      this.#url = url;
    }

    override _llmType(): string {
      return 'scripted';
    }

    override bindTools(_tools: unknown[], kwargs?: object) {
      return this.withConfig({ ...kwargs }) as never;
    }

    override async _generate(input: BaseMessage[], options: { signal?: AbortSignal }): Promise<ChatResult> {
      const response = await this.caller.callWithOptions({ ...options }, () =>
        this.ask({ messages: input.map(wireOf) }, options),
      );
      const { choices } = (await response.json()) as Completion;
      const { content, tool_calls: calls = [] } = choices[0]?.message ?? {};
      const message = new messages.AIMessage({
        content: content ?? '',
        tool_calls: calls.map((call) => ({
          id: call.id ?? '',
          name: call.function.name,
          args: JSON.parse(call.function.arguments) as Record<string, unknown>,
        })),
      });
      return { generations: [{ text: content ?? '', message }] };
    }

    override async *_streamResponseChunks(
      input: BaseMessage[],
      options: { signal?: AbortSignal },
      run?: CallbackManagerForLLMRun,
    ): AsyncGenerator<ChatGenerationChunk> {
      const response = await this.ask({ messages: input.map(wireOf), stream: true }, options);
      for await (const { choices } of eventsOf(response.body as ReadableStream<Uint8Array>)) {
        const { content, tool_calls: calls = [] } = choices[0]?.delta ?? {};
        const text = content ?? '';
        const message = new messages.AIMessageChunk({
          content: text,
          tool_call_chunks: calls.map(({ id, index = 0, function: { name, arguments: args } }) => ({
            ...(id === undefined ? {} : { id, name }),
            index,
            args,
            type: 'tool_call_chunk' as const,
          })),
        });
        const chunk = new outputs.ChatGenerationChunk({ text, message });
        yield chunk;
        await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
      }
    }

    async ask(body: object, { signal }: { signal?: AbortSignal }): Promise<Response> {
      const response = await fetch(`${this.#url}/chat/completions`, {
        method: 'POST',
        headers: this.#headers,
        body: JSON.stringify({ model: 'scripted', ...body }),
        signal: signal ?? null,
      });
      if (response.ok) return response;
      const error = new Error(await response.text());
      throw Object.assign(error, { status: response.status });
    }
  };
}
