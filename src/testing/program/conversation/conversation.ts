/**
 * The conversation of one run: which requests are of it, what the model has handed out in it, and what was said.
 *
 * @module
 */
import { historyOf, type HistoryItem } from '../../model-server/reading/history.ts';
import { hasToolsOf, toolNamesOf } from '../../model-server/reading/main-requests.ts';
import type { ModelRequest } from '../../model-server/request-record.ts';
import type { ModelReply } from '../../model-server/script.ts';
import { callIn, resultIn, type GivenCall } from './handed-out.ts';
import { asksForJSON } from './small-reply.ts';
import { withoutNumbers } from './told.ts';

/** What a request is instructed with, line by line. */
const instructionsOf = (request: ModelRequest): readonly string[] =>
  historyOf(request)
    .filter(({ role }) => role === 'system')
    .flatMap(({ text }) => text.split('\n').map((line) => withoutNumbers(line.trim())))
    .filter((line) => line !== '');

/** See the module. */
export class Conversation {
  /** Its requests, in order of arrival. */
  readonly requests: ModelRequest[] = [];
  /** The calls that the model has handed out, each with an id of its own. */
  readonly calls: GivenCall[] = [];
  /** What the person and the model have said: no words of the program's. */
  readonly said: string[] = [];
  readonly #mark: string;
  readonly #tools: readonly string[];

  /**
   * @param mark A word of every prompt.
   * @param tools The tools that the program has declared, by name; empty if it has none, or none are known.
   */
  constructor(mark: string, tools: readonly string[]) {
    this.#mark = mark;
    this.#tools = tools;
  }

  /**
   * Whether a request is of the conversation, also one that was refused: it has its tools and says what the person has said, or it has what
   * the model has said. Who asks for JSON, ends with words of the program's own, or is instructed otherwise, asks about the conversation – who
   * speaks next, a title – and does not carry it on.
   */
  isOf(request: ModelRequest): boolean {
    const history = historyOf(request);
    if (hasToolsOf(request, this.#tools) && history.some(({ text }) => text.includes(this.#mark))) return true;
    if (asksForJSON(request)) return false;
    const items = history.filter(({ role }) => role !== 'system');
    const isAnswer = this.calls.some((call) => resultIn(items, call) !== undefined);
    if (!isAnswer && !this.#isGoingOn(items)) return false;
    const last = items.at(-1);
    const isAbout = last?.role === 'user' && !this.#isPrompt(last);
    if (isAbout) return toolNamesOf(request).length > 0 && hasToolsOf(request, this.#tools);
    return !this.#isInstructedOtherwise(request);
  }

  /** Takes a request, and gives each call of its reply an id that no other one has, in no other run. */
  answer(request: ModelRequest, reply: ModelReply): ModelReply {
    if (typeof reply === 'string') this.said.push(reply);
    if (typeof reply === 'string' || 'status' in reply || 'silent' in reply) return reply;
    if (reply.text !== undefined) this.said.push(reply.text);
    const prefix = request.dialect === 'anthropic' ? 'toolu' : 'call';
    const calls = (reply.toolCalls ?? []).map((call, at): GivenCall => {
      return { ...call, id: `${prefix}_${this.#mark}_${String(this.calls.length + at + 1)}` };
    });
    this.calls.push(...calls);
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

  /** Whether the model has said something behind the prompt, or has asked for one of the calls. */
  #isGoingOn(items: readonly HistoryItem[]): boolean {
    const at = items.findIndex((item) => this.#isPrompt(item));
    if (at !== -1 && items.slice(at).some(({ role }) => role === 'assistant')) return true;
    return this.calls.some((call) => callIn(items, call) !== undefined);
  }

  /** Whether it has instructions, and none of those that the conversation had. */
  #isInstructedOtherwise(request: ModelRequest): boolean {
    const known = new Set(this.requests.flatMap(instructionsOf));
    const own = instructionsOf(request);
    return this.requests.length > 0 && own.length > 0 && !own.some((line) => known.has(line));
  }
}
