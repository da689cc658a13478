/**
 * The conversation of one run: which requests are of it, what the model has handed out in it, and what was said.
 *
 * @module
 */
import { historyOf, type HistoryItem } from '../../model-server/reading/history.ts';
import { hasToolsOf } from '../../model-server/reading/main-requests.ts';
import type { ModelRequest } from '../../model-server/request-record.ts';
import type { ModelReply } from '../../model-server/script.ts';
import { isInstructedOtherwise, isKnownBeside, type Acquaintance } from './acquaintance.ts';
import { callIn, resultIn, type GivenCall } from './handed-out.ts';
import { asksForJSON } from './small-reply.ts';

/** Whether a request has the history of another one. */
export const isAskedAgain = (request: ModelRequest, other: ModelRequest): boolean =>
  JSON.stringify(historyOf(request)) === JSON.stringify(historyOf(other));

/** See the module. */
export class Conversation {
  /** Its requests, in order of arrival. */
  readonly requests: ModelRequest[] = [];
  /** The first request of each history: a program may ask the same twice, at once or again. */
  readonly steps: ModelRequest[] = [];
  /** The calls that the model has handed out, each with an id of its own. */
  readonly calls: GivenCall[] = [];
  /** What the person and the model have said: no words of the program's. */
  readonly said: string[] = [];
  readonly #mark: string;
  readonly #known: Acquaintance | undefined;

  /**
   * @param mark A word of every prompt.
   * @param known What is known of the program; of one of which nothing is, whatever has that word is of the conversation.
   */
  constructor(mark: string, known: Acquaintance | undefined) {
    this.#mark = mark;
    this.#known = known;
  }

  /**
   * Whether a request is of the conversation, also one that was refused: it has its tools and says what the person has said, or it says
   * nothing else than that, or it has what the model has said. Who asks for JSON, ends with words of the program's own, or is instructed otherwise, asks about the conversation – who
   * speaks next, a title – and does not carry it on.
   */
  isOf(request: ModelRequest): boolean {
    const history = historyOf(request);
    const saysPrompt = history.some(({ text }) => text.includes(this.#mark));
    const known = this.#known;
    if (known === undefined) return saysPrompt;
    const hasTools = known.tools.length > 0 && hasToolsOf(request, known.tools);
    if (hasTools && saysPrompt) return true;
    if (asksForJSON(request) && !known.wantsJSON) return false;
    const items = history.filter(({ role }) => role !== 'system');
    const isBare = saysPrompt && (known.tools.length === 0 || this.#isSaidAlready(items));
    if (!isBare && !this.#isGoingOn(items)) return false;
    if (this.#isAbout(items)) return hasTools;
    return !isInstructedOtherwise(request, known) && !isKnownBeside(request, known, this.said);
  }

  /**
   * Takes a request, and gives each call of its reply an id that none of another step has, in no other run.
   *
   * @param script The reply to its step, from 1.
   */
  answer(request: ModelRequest, script: (n: number) => ModelReply): ModelReply {
    this.requests.push(request);
    if (!this.steps.some((step) => isAskedAgain(request, step))) this.steps.push(request);
    const n = this.steps.findIndex((step) => isAskedAgain(request, step)) + 1;
    const reply = script(n);
    if (typeof reply === 'string') this.said.push(reply);
    if (typeof reply === 'string' || 'status' in reply || 'silent' in reply) return reply;
    if (reply.text !== undefined) this.said.push(reply.text);
    const prefix = request.dialect === 'anthropic' ? 'toolu' : 'call';
    const calls = (reply.toolCalls ?? []).map((call, at): GivenCall => {
      return { ...call, id: `${prefix}_${this.#mark}_${String(n)}_${String(at + 1)}` };
    });
    this.calls.push(...calls.filter(({ id }) => this.calls.every((known) => known.id !== id)));
    return { ...reply, toolCalls: calls };
  }

  /** The calls that no request has answered yet. */
  get openCalls(): readonly GivenCall[] {
    const histories = this.requests.map(historyOf);
    return this.calls.filter((call) => histories.every((history) => resultIn(history, call) === undefined));
  }

  #isPrompt({ role, text }: HistoryItem): boolean {
    return role === 'user' && text.includes(this.#mark);
  }

  /** Whether all of it is what was said, or stands so in a request of the conversation. */
  #isSaidAlready(items: readonly HistoryItem[]): boolean {
    const known = new Set([...this.said, ...this.requests.flatMap(historyOf).map(({ text }) => text)]);
    return items.every(({ text }) => known.has(text));
  }

  /** Whether the model has said something behind the prompt, or one of its calls is there, or the result of one. */
  #isGoingOn(items: readonly HistoryItem[]): boolean {
    const at = items.findIndex((item) => this.#isPrompt(item));
    if (at !== -1 && items.slice(at).some(({ role }) => role === 'assistant')) return true;
    return this.calls.some((call) => callIn(items, call) !== undefined || resultIn(items, call) !== undefined);
  }

  /** Whether it ends with words of the program's own, behind those of the model. */
  #isAbout(items: readonly HistoryItem[]): boolean {
    const behind = items.slice(items.map((item) => this.#isPrompt(item)).lastIndexOf(true) + 1);
    return behind.at(-1)?.role === 'user' && behind.some(({ role }) => role === 'assistant');
  }
}
