/**
 * Reads a transcript of messages for a model into slots: what may stay in each reply, and which result and which
 * decision of a person belong to which call.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { field } from '../../../reading/fields.ts';
import { createLinks, type Links, type Site } from '../../../reading/links.ts';
import type { Entry } from '../../../reading/settle-entries.ts';
import type { SettleOptions } from '../../rules.ts';
import { isBlank, withoutItemIds, type AISDKMessage, type AISDKPart } from '../message.ts';
import { callIdOf, isServerCall, nameOf, partsOf } from './model-message.ts';

/** A call that waits for a person, and what the person said. */
export interface Question {
  readonly id: unknown;
  response: { readonly part: AISDKPart; readonly at: number } | undefined;
}

/** A call that stays, with its links. */
export interface Call {
  readonly site: Site<AISDKPart>;
  /** Whether the provider runs it. */
  readonly isServer: boolean;
  /** Whether its result stands in a reply, where only the provider writes. */
  isAnswered: boolean;
  question: Question | undefined;
}

/** A part that stays. */
export interface Part {
  readonly part: AISDKPart;
  /** What it is, if it is a call. */
  readonly call?: Call;
  /** What it asks about or answers, if it does. */
  readonly about?: Call;
}

/** One message on its way to a legal one; tool messages have none, they follow their calls. */
export interface Slot {
  /** The index of its message. */
  readonly at: number;
  readonly entry: Entry<AISDKMessage>;
  parts: readonly Part[];
  /** The tool messages that stand directly behind this message. */
  readonly run: AISDKMessage[];
}

/** For the many messages without parts that count here. */
const none: readonly Part[] = [];

/** Takes a transcript apart, front to back, once; `begun` is what the provider ran before it. */
export function readSlots(entries: readonly Entry<AISDKMessage>[], begun?: SettleOptions['begun']): Slot[] {
  const reader = new Reader(begun);
  const slots: Slot[] = [];
  entries.forEach((entry, at) => {
    const { message } = entry;
    if (message.role === 'tool') {
      reader.readToolMessage(message, at);
      const before = slots.at(-1);
      if (before !== undefined && before.at + before.run.length + 1 === at) before.run.push(message);
      return;
    }
    const parts = message.role === 'assistant' ? reader.readReply(storedParts(entry), at) : none;
    slots.push({ at, entry, parts, run: [] });
  });
  return slots;
}

/** The parts of a reply as the provider can take them back: it did not store those of one that was cut. */
function storedParts({ message, cut }: Entry<AISDKMessage>): readonly AISDKPart[] {
  const parts = partsOf(message);
  return cut === undefined ? parts : parts.map(withoutItemIds);
}

class Reader {
  readonly #links: Links<AISDKPart> = createLinks();
  readonly #questions = new Map<unknown, Question>();
  readonly #latest = new Map<string, Call>();
  readonly #begun: SettleOptions['begun'];

  constructor(begun: SettleOptions['begun']) {
    this.#begun = begun;
  }

  readReply(parts: readonly AISDKPart[], at: number): Part[] {
    const here = new Map<string, Call>();
    return parts.flatMap((part): Part[] => {
      switch (part.type) {
        case 'tool-call':
          return this.#readCall(part, at, here);
        case 'tool-result':
          return this.#readServerResult(part, at);
        case 'tool-approval-request': {
          const call = here.get(callIdOf(part) ?? '');
          // One about a call that is not in its message, or about which somebody asked already.
          if (call === undefined || call.question !== undefined) return [];
          call.question = { id: field(part, 'approvalId'), response: undefined };
          this.#questions.set(call.question.id, call.question);
          return [{ part, about: call }];
        }
        default:
          return isBlank(part) ? [] : [{ part }];
      }
    });
  }

  #readCall(part: AISDKPart, at: number, here: Map<string, Call>): Part[] {
    const id = callIdOf(part);
    const name = nameOf(part);
    if (id === undefined || name === undefined || here.has(id)) return [];
    const site = this.#links.open(at, id, name, part);
    const call: Call = { site, isServer: isServerCall(part), isAnswered: false, question: undefined };
    here.set(id, call);
    this.#latest.set(id, call);
    return [{ part, call }];
  }

  /** A result that stands in a reply: the provider's own stays, anybody else's follows its call. */
  #readServerResult(part: AISDKPart, at: number): Part[] {
    const call = this.#latest.get(callIdOf(part) ?? '');
    if (call?.isServer === true) {
      call.isAnswered = true;
      return [{ part, about: call }];
    }
    if (call === undefined && this.#begun?.has(callIdOf(part)) === true) return [{ part }];
    this.#close(part, at);
    return [];
  }

  readToolMessage(message: AISDKMessage, at: number): void {
    for (const part of partsOf(message)) {
      if (part.type === 'tool-result') this.#close(part, at);
      else if (part.type === 'tool-approval-response') {
        const question = this.#questions.get(field(part, 'approvalId'));
        if (question !== undefined) question.response ??= { part, at };
      }
    }
  }

  #close(part: AISDKPart, at: number): void {
    this.#links.close(at, field(part, 'toolCallId'), part);
  }
}
