import type { CanUseTool, Options, Query, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { priorityMessage, type ModelContext, type ToolContext, type Turn } from '../../../../src/index.ts';

type Sdk = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query'>;
/** Asks a person: calls `respond` once. */
type Permit = (tool: string, input: object, respond: (isAllowed: boolean) => unknown) => void;
type Result = { content?: unknown; is_error?: boolean };
type Call = { context: Promise<ToolContext | undefined>; end: (result: Result) => void };

/** One conversation with the executable; each prompt is a turn. */
export class ClaudeSession {
  readonly claude: Query;
  /** Ends the process. */
  readonly stop = new AbortController();
  readonly #prompts: WritableStreamDefaultWriter<SDKUserMessage>;
  readonly #calls = new Map<string, Call>();
  #turn: Turn<string> | undefined;

  constructor({ query }: Sdk, permit: Permit, options: Options = {}) {
    const { readable, writable } = new TransformStream<SDKUserMessage>();
    this.#prompts = writable.getWriter();
    const canUseTool: CanUseTool = async (name, input, { toolUseID }) => {
      const call = this.#callOf(toolUseID, name, input);
      const answer = await (
        await call?.context
      )?.ask<boolean>((respond) => {
        permit(name, input, respond);
      });
      if (answer?.status !== 'answered') return { behavior: 'deny', message: 'Interrupted', interrupt: true };
      return answer.value ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'Declined' };
    };
    const own = { canUseTool, abortController: this.stop, includePartialMessages: true };
    this.claude = query({ prompt: readable, options: { ...options, ...own } });
  }

  /** The body of a turn. What a person types meanwhile is the next prompt of the same turn. */
  async run(turn: Turn<string>, prompt: string): Promise<string> {
    this.#turn = turn;
    for (let texts = [prompt]; ; texts = []) {
      const reply = await turn.model((context) => {
        const said = context.readInterjections().map(({ message }) => priorityMessage(message));
        return this.#exchange([...texts, ...said].join('\n'), context);
      });
      if (reply.status === 'completed' && !turn.hasInterjections) return reply.value;
    }
  }

  async #exchange(content: string, { token, graceToken, partial }: ModelContext): Promise<string> {
    // A stop is told to the executable, which answers with a result; one that is deaf is ended after the grace.
    using _interrupt = token.onCancelled(() => void this.claude.interrupt().catch(() => undefined));
    using _end = graceToken.onCancelled(() => {
      this.stop.abort();
    });
    const prompt: SDKUserMessage = { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
    this.#prompts.write(prompt).catch(() => undefined);
    for (let text = ''; ;) {
      // Not `for await`: leaving it would end the session.
      const { done, value: message } = await this.claude.next();
      if (done === true) throw new Error('The session has ended');
      text += wordsOf(message);
      partial({ text, message: { role: 'assistant', content: [{ type: 'text', text }] } });
      this.#followCalls(message);
      if (message.type !== 'result') continue;
      token.throwIfCancelled();
      if (message.subtype === 'success') return message.result;
      throw new Error(message.errors.join('; '));
    }
  }

  #followCalls(message: SDKMessage): void {
    if (message.type !== 'assistant' && message.type !== 'user') return;
    const { content } = message.message;
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type === 'tool_use') this.#callOf(part.id, part.name, part.input);
      if (part.type === 'tool_result') this.#calls.get(part.tool_use_id)?.end(part);
    }
  }

  /** The row of a call in the turn's ledger: until its result, whether its permission is asked for first or not. */
  #callOf(id: string, name: string, input: unknown): Call | undefined {
    const known = this.#calls.get(id);
    if (known !== undefined || this.#turn === undefined) return known;
    const turn = this.#turn;
    let end: Call['end'] = () => undefined;
    const result = new Promise<Result>((resolve) => {
      end = resolve;
    });
    const context = new Promise<ToolContext | undefined>((resolve) => {
      const row = turn.tool({ id, name, input }, async (_call, own) => {
        resolve(own);
        const { content, is_error } = await result;
        if (is_error === true) own.token.throwIfCancelled();
        return content;
      });
      // A call that comes after the stop is not started, and has no context.
      void row.then(() => {
        resolve(undefined);
        this.#calls.delete(id);
      });
    });
    const call = { context, end };
    this.#calls.set(id, call);
    return call;
  }
}

/** The agent's own words; those of its sub-agents belong to their calls. */
function wordsOf(message: SDKMessage): string {
  if (message.type !== 'stream_event' || message.parent_tool_use_id !== null) return '';
  if (message.event.type !== 'content_block_delta') return '';
  return message.event.delta.type === 'text_delta' ? message.event.delta.text : '';
}
