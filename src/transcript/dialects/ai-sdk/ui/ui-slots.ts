/**
 * Reads a transcript of a user interface into steps: what may stay in each, and which calls there are.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import type { Entry } from '../../../reading/partials.ts';
import { copier } from '../../../reading/ids.ts';
import type { Note } from '../../rules.ts';
import { isBlank, withoutItemIds, type AISDKPart, type AISDKUIMessage } from '../message.ts';
import { callIdOf, isBoundary, isCall, isFinished, isServerCall, nameOf, stateOf, wholeInput } from './ui-message.ts';
import { betterOf } from './ui-parts.ts';

/** A call of the application; the provider's own are none of the ledger's. */
export interface UICall {
  readonly id: string;
  readonly name: string;
  /** The index of its message. */
  readonly at: number;
  readonly input: unknown;
  /** Its part, once that holds what became of it. */
  readonly results: readonly AISDKPart[];
}

/** A part that stays. */
export interface UIPart {
  part: AISDKPart;
  /** What it is, if it is a call. */
  readonly call?: UICall & { readonly isServer: boolean };
}

/** What becomes one reply for the model. */
export interface Step {
  /** The part that begins it; the first step may have none. */
  readonly opening: AISDKPart | undefined;
  readonly parts: readonly UIPart[];
  /** Whether it was cut: something in it is still streaming, or it is the end of a reply that was. */
  readonly isCut: boolean;
}

/** One message on its way to a legal one. */
export interface Slot {
  /** Its place among the entries. */
  readonly at: number;
  readonly entry: Entry<AISDKUIMessage>;
  /** None for a message that is not the model's. */
  readonly steps: readonly Step[];
  /** Notes a change of this message; a reply that is added is one change, whatever had to be taken from it. */
  readonly note: Note;
}

/** What the copy of an id may be. */
export interface CopyRule {
  /** How long it may be. */
  readonly longest: number | undefined;
  /** The ids of the ledger: none of them is a copy. */
  readonly rows: { readonly has: (id: string) => boolean };
}

const silent: Note = () => undefined;

/**
 * Takes a transcript apart, front to back, once.
 *
 * @param note Takes places among the entries.
 * @param newId Says what the copies of ids may be.
 */
export function readSlots(entries: readonly Entry<AISDKUIMessage>[], note: Note, newId: CopyRule): Slot[] {
  return entries.map((entry, at) => {
    const slotNote = entry.added === undefined ? note : silent;
    const steps = entry.message.role === 'assistant' ? readSteps(entry, at, slotNote, newId) : [];
    return { at, entry, steps, note: slotNote };
  });
}

function readSteps({ message, cutBy }: Entry<AISDKUIMessage>, at: number, note: Note, newId: CopyRule): Step[] {
  const raw: { opening: AISDKPart | undefined; parts: AISDKPart[] }[] = [{ opening: undefined, parts: [] }];
  for (const part of message.parts) {
    if (isBoundary(part)) raw.push({ opening: part, parts: [] });
    else raw.at(-1)?.parts.push(part);
  }
  return raw.map(({ opening, parts }, i) => {
    const isStreaming = parts.some((part) => ['streaming', 'input-streaming'].includes(stateOf(part) ?? ''));
    const isCut = isStreaming || (cutBy !== undefined && i === raw.length - 1);
    const stored = isCut ? parts.map(withoutItemIds) : parts;
    if (stored.some((part, at) => part !== parts[at])) {
      note(at, 'item-stored', 'removed the ids of items that the provider did not store');
    }
    return { opening, parts: readParts(stored, at, note, newId), isCut };
  });
}

function readParts(parts: readonly AISDKPart[], at: number, note: Note, { longest, rows }: CopyRule): UIPart[] {
  const here = new Map<string, UIPart>();
  const copyOf = copier({ has: (id) => here.has(id) || rows.has(id) }, longest);
  return parts.flatMap((part) => {
    if (isCall(part)) return readCall(part, at, here, copyOf, note) ?? [];
    if (!isBlank(part)) return [{ part }];
    note(at, 'text-not-empty', 'removed a text without a visible character');
    return [];
  });
}

/** The call if it is a new one; of two with the same id in a step, the better one stays in the place of the first. */
function readCall(
  part: AISDKPart,
  at: number,
  here: Map<string, UIPart>,
  copyOf: (id: string) => string,
  note: Note,
): UIPart | undefined {
  let id = callIdOf(part);
  const name = nameOf(part);
  if (id === undefined || name === undefined) {
    note(at, 'call-id', 'removed a call without an id or a name');
    return undefined;
  }
  let own = part;
  const before = here.get(id);
  if (before !== undefined) {
    const better = betterOf(before.part, part);
    if (better !== undefined) {
      note(at, 'call-id', `removed the second copy of a call: ${id}`);
      before.part = better;
      return undefined;
    }
    const original = id;
    id = copyOf(original);
    note(at, 'call-id', `renamed the second call ${original} to ${id}`);
    const renamed: AISDKPart & Readonly<Record<string, unknown>> = { ...part, toolCallId: id };
    own = renamed;
  }
  const read: UIPart = {
    part: own,
    call: {
      id,
      name,
      at,
      input: wholeInput(part),
      isServer: isServerCall(part),
      get results() {
        return isFinished(read.part) ? [read.part] : [];
      },
    },
  };
  here.set(id, read);
  return read;
}
