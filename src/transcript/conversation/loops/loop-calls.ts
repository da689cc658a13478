/**
 * The calls that frameworks run, by their ids: a framework has call objects of its own, and an id that no other call of
 * the conversation has is as good as the object.
 *
 * @module
 */
import { shownAs } from '../../../core/foundation/results/shown.ts';
import type { TranscriptCall } from '../../dialect.ts';
import { UNKNOWN } from '../../dialects/legal-reply.ts';
import type { ToldResult, ToolOutcome } from '../../from-core.ts';
import { field, isRecord } from '../../reading/fields.ts';
import { wellFormed } from '../../words/well-formed.ts';
import type { CallState, Entry, EntryWriter } from '../entries.ts';
import type { Taking } from '../model-call.ts';
import { takeReply } from '../take-reply.ts';
import type { SpokenMessages } from '../spoken-messages.ts';
import type { AnswerParts } from '../waiting/answers.ts';
import type { FrameworkLoops } from './framework-loops.ts';

/** The parts that a log and the loops in it share. */
export interface LogParts<M extends object> extends AnswerParts<M> {
  readonly spoken: SpokenMessages<M>;
  readonly loops: FrameworkLoops | undefined;
}

/** What a model is saying. */
export interface Saying {
  readonly value: unknown;
  readonly taking: Taking;
}

/** The calls of one conversation that have an id which was made for them. */
export class LoopCalls {
  /** Given out; the reply of the call has not been taken yet. */
  readonly #reserved = new Set<string>();
  readonly #calls = new Map<string, TranscriptCall>();
  /** What became of calls before their reply was taken: a framework may begin a call while its model still speaks. */
  readonly #early = new Map<string, ToolOutcome>();

  /** An id was given out. */
  reserve(id: string): void {
    this.#reserved.add(id);
  }

  /** Whether a call of a reply has its id already. */
  takes(id: string): boolean {
    return this.#reserved.delete(id);
  }

  /** The reply of these calls was taken: what had become of them by then is theirs. */
  take<M>(writer: EntryWriter<M>, calls: readonly TranscriptCall[], isHanded: boolean): void {
    for (const call of calls) {
      const outcome = this.#early.get(call.id);
      this.#early.delete(call.id);
      this.#calls.set(call.id, call);
      Object.assign(writer.stateOf(call) ?? {}, { isOfLoop: true, isHanded, ...(outcome && { outcome }) });
    }
  }

  /** All of them, by every id that they are known by. */
  get calls(): ReadonlyMap<string, TranscriptCall> {
    return this.#calls;
  }

  /** The ids that calls have elsewhere, where each is known by the id that it has here as well. */
  know(elsewhere: ReadonlyMap<string, TranscriptCall>): void {
    for (const [id, { id: own }] of elsewhere) {
      const call = this.#calls.get(own);
      if (call !== undefined && !this.#calls.has(id)) this.#calls.set(id, call);
    }
  }

  /** What became of a call whose reply is still to come. */
  early(id: string): ToolOutcome | undefined {
    return this.#early.get(id);
  }

  /**
   * The reply that is on its way as if it were cut now, once one of its calls has ended: what that did is told, also if the
   * process dies.
   */
  saying<M extends object>(
    { rules, words, writer }: LogParts<M>,
    { value, taking }: Saying,
    before: () => readonly M[],
  ): Entry<M>[] {
    if (this.#early.size === 0) return [];
    try {
      const cut = { cutBy: UNKNOWN, words, goesOn: false, before, idOf: (id: string) => id };
      const reply = takeReply(rules, wellFormed(value), cut);
      writer.add(reply);
      for (const call of reply.calls) {
        const outcome = this.#early.get(call.id);
        Object.assign(writer.stateOf(call) as CallState, { isOfLoop: true, ...(outcome && { outcome }) });
      }
      return [{ turn: taking.turn, reply }];
    } catch {
      return []; // nothing that can be read yet
    }
  }

  /** The call with this id. */
  get(id: string): TranscriptCall | undefined {
    return this.#calls.get(id);
  }

  /** A message that answers calls, by the ids that these have here. */
  ownIn<M extends object>({ rules }: LogParts<M>, message: M, each?: (call: TranscriptCall | undefined) => void): M {
    const result = (id = ''): string => {
      const call = this.#calls.get(id);
      each?.(call);
      return call?.id ?? id;
    };
    return rules.named?.(message, { call: (id = '') => id, result }) ?? message;
  }

  /** Whether all that a message answers are calls of these. */
  knows<M extends object>(parts: LogParts<M>, message: M): boolean {
    const answered: unknown[] = [];
    this.ownIn(parts, message, (call) => answered.push(call));
    return !answered.includes(undefined);
  }

  /** A message that answers calls came, or was taken out; returns it by the ids that these have here. */
  answer<M extends object>(parts: LogParts<M>, message: M, isThere: boolean): M {
    return this.ownIn(parts, message, (call) => {
      Object.assign(parts.writer.stateOf(call) ?? {}, { isAnswered: isThere });
    });
  }

  /** What a framework told its model of a call; returns whether it was news. */
  told<M extends object>({ rules, writer }: LogParts<M>, id: string, result: ToldResult): boolean {
    const call = this.#calls.get(id);
    const state = writer.stateOf(call);
    if (call === undefined || state === undefined || state.isTold === true) return false;
    const outcome = rowOfTold(call, result);
    const { adopt = (message: object): object => message } = rules;
    const told =
      'message' in result
        ? { told: adopt(result.message as object, [{ id: call.id, name: call.name, status: 'completed' }]) }
        : {};
    Object.assign(state, { isTold: true, outcome, ...told });
    return true;
  }

  /** Changes the message that holds a call; returns whether there is one. */
  amend<M extends object>(
    { rules }: LogParts<M>,
    entries: readonly Entry<M>[],
    { id, change }: { readonly id: string; readonly change: (message: M) => M },
  ): boolean {
    const call = this.#calls.get(id);
    const entry = entries.find(({ reply }) => call !== undefined && reply?.calls.includes(call) === true);
    if (entry?.reply === undefined) return false;
    const holds = (message: M): boolean => rules.callsIn([message]).some((one) => one.id === call?.id);
    const made = (message: M): M => rules.rewrite?.(message, change as <T>(one: T) => T) ?? change(message);
    entry.reply = { ...entry.reply, messages: entry.reply.messages.map((one) => (holds(one) ? made(one) : one)) };
    return true;
  }

  /** The call that a row of the ledger is of; one that its reply is still to bring keeps its row until then. */
  of(row: ToolOutcome): TranscriptCall | undefined {
    if (isNested(row)) return undefined;
    if (this.#reserved.has(row.id)) this.#early.set(row.id, row);
    return this.#calls.get(row.id);
  }
}

/** A row for what a framework told its model of a call. */
export function rowOfTold({ id, name }: TranscriptCall, result: ToldResult): ToolOutcome {
  const value = 'output' in result ? result.output : result.message;
  const call: unknown = Object.create(
    null,
    shownAs(() => value),
  );
  return { id, name, call, ms: 0, status: 'completed', value };
}

/**
 * Whether a call was made within another one, as by a tool that is itself an agent: what became of it the call around it
 * says.
 */
export function isNested({ call }: ToolOutcome): boolean {
  return isRecord(call) && field(call, 'isSingle') === true && typeof field(call, 'within') === 'string';
}
