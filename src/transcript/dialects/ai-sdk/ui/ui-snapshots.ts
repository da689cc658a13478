/**
 * Snapshots of messages that the chat holds already: a message keeps its id while it grows, and of two snapshots the
 * newer one counts.
 *
 * @module
 */
import type { PartialOutput } from '../../../from-core.ts';
import { field, isRecord, recordsIn, textIn } from '../../../reading/fields.ts';
import { copier } from '../../../reading/ids.ts';
import { originalsOf } from '../../../reading/links.ts';
import { isComplete, replyIn } from '../../../reading/partials.ts';
import type { TurnRecord } from '../../rules.ts';
import { isReasoning, type AISDKPart, type AISDKUIMessage } from '../message.ts';
import { betterOf } from './ui-parts.ts';
import { uiPartsOf } from './ui-fold.ts';
import { withIds } from './ui-ids.ts';
import {
  callIdOf,
  isBoundary,
  isCall,
  isFinished,
  isServerCall,
  nameOf,
  stateOf,
  uiReplies,
  wholeInput,
} from './ui-message.ts';

/** A chat, and the partials that settling has still to look for. */
export interface UpToDate {
  readonly messages: readonly AISDKUIMessage[];
  readonly partials: readonly PartialOutput[];
}

/** The chat with what newer snapshots of its messages say, each in its place; the fold of a run is such a message too. */
export function upToDate(given: readonly AISDKUIMessage[], turn: TurnRecord): UpToDate {
  const places = new Map<unknown, number>();
  given.forEach(({ id, role }, at) => places.set(role === 'assistant' ? textIn(id) : undefined, at));
  places.delete(undefined);
  const rows = new Set<unknown>(turn.outcomes.map(({ id }) => id));
  const messages = [...given];
  const partials = turn.partials.flatMap((one): PartialOutput[] => {
    const partial = unfolded(one, rows);
    const snapshot = replyIn(partial.value, uiReplies);
    const at = places.get(snapshot?.id);
    if (snapshot === undefined || at === undefined) return [partial];
    const marks = (['unknown', partial.reason.kind] as const).map((kind) => turn.words(kind, 'cut'));
    const compared = compare(messages[at] as AISDKUIMessage, snapshot, turn, marks);
    if (compared === undefined) return [];
    if (compared.isNewer) {
      messages[at] = compared.merged();
      turn.note(at, 'partial-kept', `added what model call ${String(partial.modelCall)} had said since`);
    }
    return [partial];
  });
  return { messages, partials };
}

/** The fold of a whole run as the message that it is in a chat. */
function unfolded(partial: PartialOutput, rows: ReadonlySet<unknown>): PartialOutput {
  const messages = isRecord(partial.value) ? recordsIn(field(partial.value, 'messages')) : [];
  if (!messages.some((message) => field(message, 'role') === 'assistant')) return partial;
  const message = { role: 'assistant', parts: uiPartsOf(messages, (id) => rows.has(id)) };
  return { ...partial, value: { message, isComplete: isComplete(partial.value) } };
}

interface Comparison {
  readonly isNewer: boolean;
  readonly merged: () => AISDKUIMessage;
}

/** What a snapshot says beyond its message; `undefined` where the message says more, or another thing. */
function compare(
  own: AISDKUIMessage,
  snapshot: AISDKUIMessage,
  { ids }: TurnRecord,
  marks: readonly string[],
): Comparison | undefined {
  const [mine, theirs] = [own, snapshot].map((one) => {
    return read(withIds([one], ids, () => undefined)[0] as AISDKUIMessage, marks);
  }) as [Read, Read];
  const isStart = mine.said.every((text, i) => theirs.said[i]?.startsWith(text));
  if (!isStart || mine.others > theirs.others || [...mine.calls.keys()].some((key) => !theirs.calls.has(key))) {
    return undefined;
  }
  const isNewer =
    theirs.said.length > mine.said.length ||
    theirs.said.some((text, i) => text !== mine.said[i]) ||
    theirs.others > mine.others ||
    [...theirs.calls].some(([key, part]) => progressOf(part) > progressOf(mine.calls.get(key)));
  return {
    isNewer,
    merged() {
      const keyOf = new Map([...theirs.calls].map(([key, part]) => [part, key]));
      const parts = theirs.parts.map((part) => {
        const before = mine.calls.get(keyOf.get(part) ?? '');
        // A page may have answered the call meanwhile.
        return before !== undefined && progressOf(before) >= progressOf(part) ? before : part;
      });
      return { ...own, ...snapshot, parts };
    },
  };
}

/** What two snapshots are compared by. */
interface Read {
  readonly parts: readonly AISDKPart[];
  /** Texts and thoughts, in order. */
  readonly said: readonly string[];
  /** By step, id and order, as settling gives an id that comes again another one; without those that it may take out. */
  readonly calls: ReadonlyMap<string, AISDKPart>;
  /** How many sources, files and data there are. */
  readonly others: number;
}

function read({ parts }: AISDKUIMessage, marks: readonly string[]): Read {
  const said: string[] = [];
  const steps = [newStep()];
  let others = 0;
  for (const part of parts) {
    const text = field(part, 'text');
    if (isBoundary(part)) steps.push(newStep());
    else if (isCall(part)) addCall(part, steps.at(-1) as StepCalls);
    else if (part.type !== 'text' && part.type !== 'reasoning') others += 1;
    else if (typeof text === 'string' && text.trim() !== '' && !marks.includes(text)) {
      said.push(`${isReasoning(part) ? 'thought' : 'text'} ${text}`);
    }
  }
  const calls = new Map<string, AISDKPart>();
  const copyOf = copier(calls);
  steps.forEach((step, i) => {
    for (const [id, part] of step.calls) {
      const key = `${String(i)} ${originalsOf(id).at(-1) ?? id}`;
      if (progressOf(part) > 0) calls.set(calls.has(key) ? copyOf(key) : key, part);
    }
  });
  return { parts, said, calls, others };
}

/** The calls of one step by their ids, and what a further call of one id goes by. */
interface StepCalls {
  readonly calls: Map<string, AISDKPart>;
  readonly copyOf: (id: string) => string;
}

function newStep(): StepCalls {
  const calls = new Map<string, AISDKPart>();
  return { calls, copyOf: copier(calls) };
}

/** As settling does: of two calls with one id the better one stays, or both do. */
function addCall(part: AISDKPart, { calls, copyOf }: StepCalls): void {
  const id = callIdOf(part);
  if (id === undefined || nameOf(part) === undefined) return;
  const before = calls.get(id);
  const better = before === undefined ? part : betterOf(before, part);
  calls.set(better === undefined ? copyOf(id) : id, better ?? part);
}

/** How far a call has come; one that settling may take out counts as none. */
function progressOf(part: AISDKPart | undefined): number {
  if (part === undefined || wholeInput(part) === undefined) return 0;
  if (isFinished(part)) return 4;
  if (isServerCall(part)) return 0;
  if (field(part, 'preliminary') === true) return 3;
  return stateOf(part) === 'approval-responded' ? 2 : 1;
}
