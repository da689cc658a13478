/**
 * Reads a transcript of a user interface into steps: what may stay in each, and which calls there are.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import type { Entry } from '../../../reading/settle-entries.ts';
import { copier } from '../../../reading/ids.ts';
import { isBlank, withoutItemIds, type AISDKPart, type AISDKUIMessage } from '../message.ts';
import { callIdOf, isBoundary, isCall, isServerCall, nameOf, stateOf } from './ui-message.ts';
import { betterOf } from './ui-parts.ts';

/** A call. */
interface UICall {
  readonly id: string;
  readonly name: string;
  /** Whether the provider runs it. */
  readonly isServer: boolean;
  /** The index of its message. */
  readonly at: number;
  /** Its part, as it stood there. */
  readonly raw: AISDKPart;
}

/** A part that stays. */
export interface UIPart {
  part: AISDKPart;
  /** What it is, if it is a call. */
  readonly call?: UICall;
}

/** What becomes one reply for the model. */
export interface Step {
  /** The part that begins it; the first step may have none. */
  readonly opening: AISDKPart | undefined;
  readonly parts: readonly UIPart[];
  /** Whether it was cut: something in it is still streaming. */
  readonly isCut: boolean;
}

/** One message on its way to a legal one. */
export interface Slot {
  readonly entry: Entry<AISDKUIMessage>;
  /** None for a message that is not the model's. */
  readonly steps: readonly Step[];
}

/**
 * Takes a transcript apart, front to back, once.
 *
 * @param longest How long the copy of an id may be.
 */
export function readSlots(entries: readonly Entry<AISDKUIMessage>[], longest: number | undefined): Slot[] {
  return entries.map((entry, at) => {
    const steps = entry.message.role === 'assistant' ? readSteps(entry, at, longest) : [];
    return { entry, steps };
  });
}

function readSteps({ message }: Entry<AISDKUIMessage>, at: number, longest: number | undefined): Step[] {
  const raw: { opening: AISDKPart | undefined; parts: AISDKPart[] }[] = [{ opening: undefined, parts: [] }];
  for (const part of message.parts) {
    if (isBoundary(part)) raw.push({ opening: part, parts: [] });
    else raw.at(-1)?.parts.push(part);
  }
  return raw.map(({ opening, parts }) => {
    const isCut = parts.some((part) => ['streaming', 'input-streaming'].includes(stateOf(part) ?? ''));
    const stored = isCut ? parts.map(withoutItemIds) : parts;
    return { opening, parts: readParts(stored, parts, at, longest), isCut };
  });
}

/** @param raw The parts as they stand there. */
function readParts(
  parts: readonly AISDKPart[],
  raw: readonly AISDKPart[],
  at: number,
  longest: number | undefined,
): UIPart[] {
  const here = new Map<string, UIPart>();
  const copyOf = copier(here, longest);
  return parts.flatMap((part, i) => {
    if (isCall(part)) return readCall(part, { at, raw: raw[i] as AISDKPart }, here, copyOf) ?? [];
    return isBlank(part) ? [] : [{ part }];
  });
}

/** The call if it is a new one; of two with the same id in a step, the better one stays in the place of the first. */
function readCall(
  part: AISDKPart,
  { at, raw }: Pick<UICall, 'at' | 'raw'>,
  here: Map<string, UIPart>,
  copyOf: (id: string) => string,
): UIPart | undefined {
  let id = callIdOf(part);
  const name = nameOf(part);
  if (id === undefined || name === undefined) return undefined;
  let own = part;
  const before = here.get(id);
  if (before !== undefined) {
    const better = betterOf(before.part, part);
    if (better !== undefined) {
      before.part = better;
      return undefined;
    }
    id = copyOf(id);
    const renamed: AISDKPart & Readonly<Record<string, unknown>> = { ...part, toolCallId: id };
    own = renamed;
  }
  const read: UIPart = {
    part: own,
    call: { id, name, at, raw, isServer: isServerCall(part) },
  };
  here.set(id, read);
  return read;
}
