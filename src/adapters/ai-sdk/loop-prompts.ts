/**
 * What the models of one loop are asked, and what of it belongs to the conversation.
 *
 * @module
 */
import { messageText } from '../../core/inside.ts';
import { ToldMessages } from '../internal/framework/told-messages.ts';
import type { ConversationCall } from '../internal/framework/conversations.ts';
import type { Round } from '../internal/framework/turn-call.ts';
import { saidMessage, type CutAnswer } from './cut-answer.ts';
import { CutItems } from './cut-items.ts';
import type { AIMessage } from './messages-so-far.ts';
import type { AIModelCall } from './middleware.ts';

/** The prompts of one loop. */
export class LoopPrompts {
  /** The items that no provider has. */
  readonly cut: CutItems = new CutItems();
  readonly #told = new ToldMessages<unknown>();
  /** The same in the messages of the loop, where they may be others than those that are sent. */
  readonly #toldOfLoop = new ToldMessages<unknown>();
  #messages: readonly unknown[] | undefined;
  #call: ConversationCall<AIMessage> | undefined;

  /** A step begins with these messages, whatever its `prepareStep` sends in their place. */
  begins(messages: readonly unknown[] | undefined): void {
    this.#messages = messages;
  }

  /**
   * A step has ended with these messages, by the SDK's own account: with the questions whether a call may run, and the
   * results of those that ran. Its reply is known from the model, without what a message cut of it.
   */
  ended(messages: unknown): void {
    const all = (Array.isArray(messages) ? messages : []) as AIMessage[];
    const at = all.map(({ role }) => role).lastIndexOf('assistant');
    const parts: unknown = all[at]?.content;
    const asked = (Array.isArray(parts) ? (parts as { readonly type?: unknown }[]) : []).filter(
      ({ type }) => type === 'tool-approval-request',
    );
    this.#call?.became((reply) => [
      asked.length === 0 ? reply : { ...reply, content: [...(reply.content as object[]), ...asked] },
      ...all.slice(at + 1),
    ]);
  }

  /** What a model is sent in one round: its call, with what the user said meanwhile, under the round's signal. */
  paramsOf<P extends AIModelCall>(params: P, round: Round, call: ConversationCall<AIMessage>): P {
    this.#call = call;
    const fresh = round.news.map(({ message }) => ({
      role: 'user',
      content: [{ type: 'text', text: messageText(message) }],
    }));
    // Without news the prompt would end in the model's own words, which some providers take for a prefix to go on from.
    // Of the cut answer only its words: the loop itself adds its calls, with their results.
    const text = fresh.length === 0 ? '' : ((round.cut as Partial<CutAnswer> | undefined)?.text ?? '');
    const before = text === '' ? [] : [saidMessage(text)];
    const own = this.cut.without(params.prompt);
    const prompt = this.#told.with(own, fresh, before);
    const known = this.#messages === undefined ? undefined : this.cut.without(this.#messages);
    if (known === undefined) call.asked(own, prompt);
    else call.asked(known, this.#toldOfLoop.with(known, fresh, before));
    return { ...params, prompt, abortSignal: round.signal };
  }
}
