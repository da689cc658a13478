/**
 * What is kept of an answer that is cut: its words; behind a call that came whole, which the loop has started, also
 * what the provider wants back with it – what was thought and signed before, the call's own signature – all in its order;
 * and what the provider was running itself.
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

/** The words of an answer as a message. */
export function saidMessage(text: string): CutAnswer['message'] {
  return { role: 'assistant', content: text === '' ? [] : [{ type: 'text', text }] };
}

/** A text on its way: it is a part of the answer once there is more than white space in it. */
interface OpenText {
  readonly part: { readonly type: 'text'; text: string; providerOptions?: unknown };
  isShown: boolean;
}

/** One answer while it comes. */
export class GrowingAnswer {
  readonly #answer: { text: string; message: CutAnswer['message'] } = { text: '', message: saidMessage('') };
  readonly #words = { type: 'text', text: '' };
  /** All that came, in order. */
  #parts: object[] = [];
  /** The thoughts that nothing has followed yet. */
  #thoughts: MessagePart[] = [];
  readonly #open = new Map<string, OpenText>();
  /** What the provider runs, by its id: it may have run to its end. */
  readonly #running = new Map<unknown, MessagePart>();
  #hasItems = false;
  #hasCalls = false;

  /** What there is of it, the same object all along; `undefined` before its first word or call. */
  get said(): CutAnswer | undefined {
    return this.#answer.text === '' && !this.#hasCalls && this.#running.size === 0 ? undefined : this.#answer;
  }

  /** Its words so far. */
  get text(): string {
    return this.#answer.text;
  }

  /** Whether a call for a tool of ours has come whole: the loop has started it, or will. */
  get hasCalls(): boolean {
    return this.#hasCalls;
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
    this.#seeItems(parts);
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
    const parts = messagePart(part);
    this.#seeItems(parts);
    for (const whole of parts.flatMap(unnamedPart)) {
      if (whole.type === 'tool-result') this.#running.delete(whole['toolCallId']);
      else if (isRun(whole)) this.#running.set(whole['toolCallId'], whole);
      if (isRun(whole) && this.#hasItems) continue;
      this.#push(whole);
      this.#hasCalls ||= whole.type === 'tool-call' && !isRun(whole);
    }
    this.#show();
  }

  #push(part: object): void {
    this.#parts.push(...this.#thoughts, part);
    this.#thoughts = [];
  }

  /** What a provider ran itself is, where it stores items, one of those. */
  #seeItems(parts: readonly MessagePart[]): void {
    if (this.#hasItems || parts.every(({ providerOptions }) => itemIdsOf(providerOptions).length === 0)) return;
    this.#hasItems = true;
    this.#parts = this.#parts.filter((part) => !isRun(part as MessagePart));
  }

  #show(): void {
    const said = this.#hasCalls ? this.#parts : this.#words.text === '' ? [] : [this.#words];
    const unsaid = [...this.#running.values()].filter((part) => !said.includes(part));
    this.#answer.message = { role: 'assistant', content: unsaid.length === 0 ? said : [...said, ...unsaid] };
  }
}

/** Whether a part is a call that the provider runs, or the result of one. */
export function isRun({ type, providerExecuted }: MessagePart): boolean {
  return type === 'tool-result' || (type === 'tool-call' && providerExecuted === true);
}
