/**
 * What a loop pushes that keeps its list itself: replies, and the results of tools, as messages.
 * Apart from the dialects: a conversation takes both by itself, and has nothing of this in its bundle.
 *
 * @module
 */
import { requireOptions, type OptionNames, type OptionsOnly } from '../core/foundation/check.ts';
import type { ReplyEnd } from '../core/foundation/reply-end.ts';
import type { TranscriptCall, TranscriptDialect } from './dialect.ts';
import { resultsOf, rulesOf, wellFormedMessage } from './dialects/create-dialect.ts';
import { isAsked, readReply, replyEndingIn } from './dialects/legal-reply.ts';
import type { AnsweredCall } from './dialects/rules.ts';
import { requireOutcomes, requireRender } from './dialects/requirements.ts';
import type { ToolOutcome } from './from-core.ts';
import { readingAs } from './reading/readable.ts';
import { answerOutcome } from './words/answers.ts';
import { reasonKind, type ReasonLike } from './words/causes.ts';
import type { Render } from './words/values.ts';
import { builtInWords, createWords, halfBy, type Wording, type Words } from './words/wording.ts';

interface ToolResultsOptions extends OptionsOnly {
  /** Why the turn ended, if it did. Without it the turn goes on, and a call that was stopped alone says so. */
  readonly reason?: ReasonLike | undefined;
  /** Other words for the model, for every cell or for some. */
  readonly wording?: Wording | undefined;
  /** What a tool's own value becomes; `undefined` keeps ours. */
  readonly render?: Render | undefined;
}

const optionNames: OptionNames<ToolResultsOptions> = { reason: 1, wording: 1, render: 1 };

/** What is told of calls inside which their reply ended. */
function halves(calls: readonly TranscriptCall[], end: ReplyEnd | undefined, words: Words): readonly AnsweredCall[] {
  const status = 'not-started';
  return calls.map((call) => ({
    outcome: { id: call.id, name: call.name, call, ms: 0, status } as ToolOutcome,
    answer: { status, text: words('unknown', halfBy(end), call.name) },
  }));
}

/**
 * What {@link messageWriter} returns.
 *
 * @since 0.1.0
 */
export interface MessageWriter<M> {
  /**
   * A reply as messages for the next request, as a conversation takes it. Of a cut one: what it had said, and a mark that it
   * was cut, with every whole call answered as not started; so is a call inside which its reply ended, behind the results of the
   * others.
   *
   * @param reply What `turn.model` resolved with, or a whole reply of the provider, or a fold of `desist/llm`.
   * @throws TypeError – a value in which this dialect finds no reply.
   */
  reply(reply: unknown): M[];
  /**
   * The results of tools as messages for the next request, in the order of the outcomes; none for none.
   *
   * @param outcomes What `turn.tools` resolved with.
   * @throws TypeError – no list of outcomes.
   */
  toolResults(outcomes: readonly ToolOutcome[], options?: ToolResultsOptions): M[];
}

/**
 * Writes messages for a list that a loop keeps itself. A `Conversation` needs none of it.
 *
 * @param dialect Whose messages; of the SDK's own type as `messageWriter<MessageParam>(anthropic)`.
 * @returns The two ways.
 * @throws TypeError – no dialect, or one of no model.
 * @example What the model is told about a call that was stopped before it ran
 * ```ts
 * import { messageWriter } from 'desist/transcript'
 * import { openaiChat } from 'desist/transcript/openai-chat'
 *
 * const raw = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } }
 * const reply = { role: 'assistant', content: null, tool_calls: [raw] }
 * const [call] = openaiChat.calls(reply)
 * const { reply: said, toolResults } = messageWriter(openaiChat)
 * const outcome = { id: 'call_1', name: 'read', call, ms: 4, status: 'completed', value: 'hello' } as const
 * const messages = [...said(reply), ...toolResults([outcome])]
 * messages.map(({ content }) => content) // => [null, 'hello']
 * ```
 * @since 0.1.0
 */
export function messageWriter<M>(dialect: TranscriptDialect<M, unknown>): MessageWriter<M> {
  const rules = rulesOf({ dialect });
  return {
    reply: (reply) =>
      readingAs('reply', () => {
        const { settled, messages, calls, mayRun, cutBy, notesBy, endedInside } = readReply(rules, reply);
        if (cutBy !== undefined) return settled().map((one) => wellFormedMessage(one, rules));
        const own = messages.map((one) => wellFormedMessage(one, rules));
        // Behind the results of the others, where they run.
        if (calls.some(mayRun)) return own;
        const half = calls.filter((call) => !isAsked(call));
        const results = half.length === 0 ? [] : resultsOf(rules, halves(half, endedInside, builtInWords));
        return [...own, ...results, ...notesBy(builtInWords).map(rules.user)];
      }),
    toolResults(outcomes, options = {}) {
      requireOptions(options, optionNames);
      const kind = reasonKind('options.reason', options.reason);
      const words = createWords(options.wording);
      const render = requireRender('options.render', options.render);
      const telling = { reason: kind && { kind }, words, render, goesOn: kind === undefined };
      const rows = requireOutcomes('outcomes', outcomes);
      if (rows.length === 0) return [];
      const answered = rows.map((outcome) => ({ outcome, answer: answerOutcome(outcome, telling) }));
      const ended = rows.flatMap(({ call }) => replyEndingIn(call) ?? []);
      const cut = ended.flatMap(({ calls, mayRun, endedInside }) => {
        const half = calls.filter((call, at) => !mayRun(call, at) && !isAsked(call));
        return halves(half, endedInside, words);
      });
      const notes = ended.flatMap((one) => one.notesBy(words).map(rules.user));
      return [...resultsOf(rules, [...answered, ...cut]), ...notes];
    },
  };
}
