/**
 * What is kept of an answer that is cut: its words; where a call came whole, which the loop has started, or the provider ran
 * one itself to its end, also what the provider wants back with it – what was thought and signed before, the call's own
 * signature – all in its order; and the calls of the provider whose results are lost.
 *
 * Invariant: without the last of these it can be sent as it is. Nothing that was cut is in it but words; no thought ends it;
 * it names no item that the provider did not store.
 *
 * @module
 */
import { itemIdsOf, messagePart, unnamedPart, type AnswerPart, type MessagePart } from './answer-parts.ts';

/** What a cut call is kept as: its text, and the message of it. It grows with the answer, at the same cost for each piece. */
export interface CutAnswer {
  readonly text: string;
  readonly message: { readonly role: 'assistant'; readonly content: readonly object[] };
}

/** A text on its way: it is a part of the answer once there is more than white space in it. */
interface OpenText {
  readonly part: { readonly type: 'text'; text: string; providerOptions?: unknown };
  isShown: boolean;
}

/** One answer while it comes. */
export class GrowingAnswer {
  readonly #answer: { text: string; message: CutAnswer['message'] } = {
    text: '',
    message: { role: 'assistant', content: [] },
  };
  readonly #words = { type: 'text', text: '' };
  /** All that came, in order. */
  #parts: object[] = [];
  /** The thoughts that nothing has followed yet. */
  #thoughts: MessagePart[] = [];
  readonly #open = new Map<string, OpenText>();
  /** Calls of the provider without a result that can go back, by their ids: each may have run to its end. */
  readonly #lost = new Map<unknown, MessagePart>();
  #hasItems = false;
  #hasCalls = false;
  /** Whether a result of the provider's own is among the parts. */
  #hasResults = false;

  /** What there is of it, the same object all along; `undefined` before its first word or call. */
  get said(): CutAnswer | undefined {
    return this.#answer.message.content.length === 0 ? undefined : this.#answer;
  }

  /** Its words so far. */
  get text(): string {
    return this.#answer.text;
  }

  /** Whether a call for a tool of ours has come whole: the loop has started it, or will. */
  get hasCalls(): boolean {
    return this.#hasCalls;
  }

  /** The names of the calls of the provider that nobody goes on with. */
  get lost(): readonly string[] {
    // What a call of ours was made by goes on with its result.
    if (this.#hasCalls && !this.#hasItems) return [];
    return [...this.#lost.values()].map(({ toolName }) => String(toolName));
  }

  /** A piece of a text. */
  addText(id: string, delta: string): void {
    this.#answer.text += delta;
    this.#words.text += delta;
    const open: OpenText = this.#open.get(id) ?? { part: { type: 'text', text: '' }, isShown: false };
    this.#open.set(id, open);
    open.part.text += delta;
    if (!open.isShown && /\S/.test(delta)) {
      open.isShown = true;
      this.#push(open.part);
    }
    this.#show();
  }

  /** A text, or a thought, that was closed. */
  close(id: string, part: AnswerPart): void {
    const parts = messagePart(part);
    this.seeItems(part);
    const open = part.type === 'text' ? this.#open.get(id) : undefined;
    if (part.type === 'text') this.#open.delete(id);
    for (const whole of parts.flatMap(unnamedPart)) {
      const { type, providerOptions } = whole;
      if (type === 'reasoning') this.#thoughts.push(whole);
      // Of a text without words only what the provider signed.
      else if (providerOptions !== undefined && open?.isShown !== true) this.#push(whole);
      else if (providerOptions !== undefined && open !== undefined) open.part.providerOptions = providerOptions;
    }
    this.#show();
  }

  /** A part that came whole. */
  addWhole(part: AnswerPart): void {
    this.seeItems(part);
    const parts = messagePart(part);
    for (const whole of parts.flatMap(unnamedPart)) {
      if (whole.type === 'tool-approval-request') {
        // Nobody is asked any more, and without an answer the provider runs nothing.
        this.#lost.delete(whole['toolCallId']);
        this.#parts = (this.#parts as MessagePart[]).filter((part) => part['toolCallId'] !== whole['toolCallId']);
        continue;
      }
      const isResult = whole.type === 'tool-result';
      if (isRun(whole) && !isResult) this.#lost.set(whole['toolCallId'], whole);
      if (isRun(whole) && this.#hasItems) continue;
      if (isResult) this.#lost.delete(whole['toolCallId']);
      this.#push(whole);
      this.#hasResults ||= isResult;
      this.#hasCalls ||= whole.type === 'tool-call' && !isRun(whole);
    }
    this.#show();
  }

  #push(part: object): void {
    this.#parts.push(...this.#thoughts, part);
    this.#thoughts = [];
  }

  /** What a provider ran itself is, where it stores items, one of those: it has none of an answer that was cut. */
  seeItems(part: AnswerPart): void {
    const { providerMetadata } = part as AnswerPart & { readonly providerMetadata?: unknown };
    if (this.#hasItems || itemIdsOf(providerMetadata).length === 0) return;
    [this.#hasItems, this.#hasResults] = [true, false];
    const ran = (this.#parts as readonly MessagePart[]).filter(isRun);
    for (const part of ran) if (part.type === 'tool-call') this.#lost.set(part['toolCallId'], part);
    this.#parts = this.#parts.filter((part) => !(ran as readonly object[]).includes(part));
  }

  #show(): void {
    const isInParts = this.#hasCalls || this.#hasResults;
    const said = isInParts ? this.#parts : this.#words.text === '' ? [] : [this.#words];
    const unsaid = [...this.#lost.values()].filter((part) => !said.includes(part));
    this.#answer.message = { role: 'assistant', content: unsaid.length === 0 ? said : [...said, ...unsaid] };
  }
}

/** Whether a part is a call that the provider runs, or the result of one. */
export function isRun({ type, providerExecuted }: MessagePart): boolean {
  return type === 'tool-result' || (type === 'tool-call' && providerExecuted === true);
}

/** What of a cut answer can be sent: no call without its result, and no thought at its end. */
export function sendable({ role, content }: CutAnswer['message']): readonly CutAnswer['message'][] {
  const parts = content as readonly MessagePart[];
  const ended = new Set(parts.flatMap((part) => (part.type === 'tool-result' ? part['toolCallId'] : [])));
  const kept = parts.filter((part) => part.type !== 'tool-call' || ended.has(part['toolCallId']));
  while (kept.at(-1)?.type === 'reasoning') kept.pop();
  return kept.length === 0 ? [] : [{ role, content: kept }];
}
