/**
 * Calls that the provider runs itself: which of them have no result, and with which of those nobody goes on any more. They
 * are taken out, and the model is told that they may have run.
 * In one place for all dialects: each says only how such a call and its result are read.
 *
 * @module
 */
import { lostNote } from '../../core/foundation/results/lost-note.ts';
import type { TurnReader } from '../dialects/rules.ts';

/** What a message says of a call that the provider runs. */
export interface HostedStep {
  /** The part of the message that says it; the message itself where each is an item of its own. */
  readonly part: object;
  /** What a call and its result have in common. */
  readonly id: unknown;
  /** `made`: a call of ours that this one asks for, and that has to be answered before it ends. `own`: the id is a call of ours from here on. */
  readonly kind: 'begun' | 'ended' | 'made' | 'own';
  /** The name of its tool; a call without one has not run, and nothing is said of it. */
  readonly name?: string | undefined;
}

/** How such calls are read. */
export interface HostedReader<M> {
  readonly stepsIn: (message: M) => readonly HostedStep[];
  /** The message without some of its parts; nothing if none is left. */
  readonly without: (message: M, parts: Pick<ReadonlySet<object>, 'has'>) => M | undefined;
  readonly turns: Pick<TurnReader<M>, 'isPrompt' | 'isReply'>;
  readonly user: (text: string) => M;
  /** Where a result stands, if not in any later reply: in the same one, or in one before a person speaks. */
  readonly resultIn?: 'reply' | 'turn';
}

/** Such calls in some messages. */
export interface HostedIn {
  /** What the model is told of those that nobody goes on with: one text, or none. */
  readonly notes: readonly string[];
  /** Whether the provider goes on with one, once it is sent back. */
  readonly isOpen: boolean;
}

/** What a conversation needs of a provider that runs calls itself. */
export interface HostedRules<M> {
  /** @param isOver Nobody goes on with what has no result. */
  readonly read: (messages: readonly M[], isOver: boolean) => HostedIn;
  /** What calls without a result and their results have in common: with these begun, a reply behind the messages can be read by itself. */
  readonly begunIn: (messages: readonly M[]) => ReadonlySet<unknown>;
  /** Whether the provider began any. */
  readonly hasRun: (messages: readonly M[]) => boolean;
}

/** The same for the rules of one dialect. */
export interface HostedCalls<M> extends HostedRules<M> {
  /** The messages without what nobody goes on with, and a word of it before whatever a person says next. */
  readonly settle: (messages: readonly M[], isOver: boolean) => readonly M[];
}

type Begun = HostedStep & { readonly at: number };

/** Makes them. */
export function hostedCalls<M>(reader: HostedReader<M>): HostedCalls<M> {
  const { stepsIn, without, turns, user, resultIn } = reader;
  return {
    read(messages, isOver) {
      const { lost, open } = begunIn(messages, isOver);
      return { notes: notesOf(lost), isOpen: open.length > 0 };
    },
    hasRun: (messages) => messages.flatMap(stepsIn).some(({ kind }) => kind === 'begun'),
    begunIn: (messages) => new Set(begunIn(messages, true).lost.map(({ id }) => id)),
    settle(messages, isOver) {
      const { lost, open } = begunIn(messages, isOver);
      if (lost.length === 0) return messages;
      const parts = new Set(lost.map(({ part }) => part));
      const out: M[] = [];
      let untold: HostedStep[] = [];
      const tell = (): void => {
        out.push(...notesOf(untold).map(user));
        untold = [];
      };
      for (const message of messages) {
        if (turns.isPrompt(message)) tell();
        const own = stepsIn(message).filter(({ part }) => parts.has(part));
        untold.push(...own);
        const kept = own.length === 0 ? message : without(message, parts);
        if (kept !== undefined) out.push(kept);
      }
      // A person speaks only once the provider has ended what it goes on with.
      if (open.length === 0) tell();
      return out;
    },
  };

  function begunIn(messages: readonly M[], isOver: boolean): { readonly lost: Begun[]; readonly open: Begun[] } {
    const lost: Begun[] = [];
    const begun = new Map<unknown, Begun>();
    /** Calls of ours without a result: a result by the id of one is that of it. */
    const own = new Set<unknown>();
    messages.forEach((message, at) => {
      if (resultIn !== undefined && turns.isPrompt(message)) {
        lost.push(...begun.values());
        begun.clear();
      }
      for (const step of stepsIn(message)) {
        const before = begun.get(step.id);
        if (step.kind === 'made') continue;
        if (step.kind === 'ended' && own.delete(step.id)) continue;
        if (step.kind !== 'ended' && before !== undefined) lost.push(before);
        begun.delete(step.id);
        if (step.kind === 'own') own.add(step.id);
        if (step.kind === 'begun') begun.set(step.id, { ...step, at });
      }
    });
    const open: Begun[] = [];
    const goesOn = isOver || resultIn === 'reply' || begun.size === 0 ? undefined : goingOn(messages);
    for (const one of begun.values()) (goesOn?.(one) === true ? open : lost).push(one);
    return { lost, open };
  }

  /** The provider goes on with what the reply at the end began, and with what made the calls of that reply. */
  function goingOn(messages: readonly M[]): (one: Begun) => boolean {
    const isPromptAt = (at: number): boolean => turns.isPrompt(messages[at] as M);
    let end = messages.length - 1;
    while (end >= 0 && !isPromptAt(end) && !turns.isReply(messages[end] as M)) end -= 1;
    let start = end;
    while (start >= 0 && !isPromptAt(start)) start -= 1;
    const steps = end < 0 ? [] : stepsIn(messages[end] as M);
    const makers = new Set(steps.flatMap(({ kind, id }) => (kind === 'made' ? [id] : [])));
    return ({ at, id }) => at > start && (at === end || makers.has(id));
  }
}

function notesOf(lost: readonly HostedStep[]): readonly string[] {
  const names = lost.flatMap(({ name }) => name ?? []);
  return names.length === 0 ? [] : [lostNote(names)];
}
