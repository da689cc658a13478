/**
 * Makes a transcript of a user interface legal: every call has an end, and nothing is still streaming.
 * One pass to read, one to write; messages that were legal come out as the same objects.
 *
 * @module
 */
import { shownOf } from '../../../../core/foundation/results/shown.ts';
import type { ToolOutcome } from '../../../from-core.ts';
import { answerCall, type Answer } from '../../../words/answers.ts';
import { valueText } from '../../../words/values.ts';
import { field, isSameList } from '../../../reading/fields.ts';
import type { Entry, Settled } from '../../../reading/partials.ts';
import { anyId } from '../../../reading/ids.ts';
import { withUniqueIds } from '../../../reading/links.ts';
import { noteOfEntries, type DialectResult, type TurnRecord } from '../../rules.ts';
import { rowsBy, rowsOf, settleNamed } from '../../../reading/settle-entries.ts';
import { withDecision } from '../decision.ts';
import { isReasoning, type AISDKPart, type AISDKUIMessage } from '../message.ts';
import { named as withCallIds, withIds } from './ui-ids.ts';
import { approvalOf, doneText, isCall, isFinished, isServerCall, saysSomething } from './ui-message.ts';
import { stateOf, uiReplies, wholeInput } from './ui-message.ts';
import { breachOfEnd, partFromAnswer, withLegalEnd, withObjectInput } from './ui-parts.ts';
import { readSlots, type Slot, type Step, type UIPart } from './ui-slots.ts';
import { upToDate } from './ui-snapshots.ts';

/** Makes a transcript of messages of a user interface legal. */
export function settleUIMessages(messages: readonly AISDKUIMessage[], turn: TurnRecord): DialectResult<AISDKUIMessage> {
  const { messages: all, partials } = upToDate(messages, turn);
  return settleNamed(all, { ...turn, partials }, uiReplies, rowsBy(anyId), withIds, write);
}

function write(entries: readonly Entry<AISDKUIMessage>[], turn: TurnRecord): readonly Settled<AISDKUIMessage>[] {
  const note = noteOfEntries(entries, turn.note);
  const slots = readSlots(entries, note, {
    longest: turn.ids === 'keep' ? undefined : anyId.longest,
    rows: new Set(turn.outcomes.map(({ id }) => id)),
  });
  const steps = slots.flatMap((slot) => slot.steps);
  const calls = steps.flatMap((step) => step.parts.flatMap(({ call }) => (call?.isServer === false ? call : [])));
  const { rows, batched, recorded } = rowsOf(calls, entries, turn);
  const lastStep = slots.at(-1)?.steps.at(-1);
  const lastBatch = steps.filter((step) => step.parts.some(isClientCall)).at(-1);

  const out: Settled<AISDKUIMessage>[] = [];
  for (const slot of slots) {
    const { message, added } = slot.entry;
    const isReply = message.role === 'assistant';
    const parts = isReply ? settleSteps(slot) : message.parts;
    if (isReply ? !saysSomething(parts) : parts.length === 0) {
      slot.note(slot.at, 'message-not-empty', 'removed a message that holds nothing');
      continue;
    }
    if (added !== undefined) {
      note(slot.at, 'partial-kept', `added what model call ${String(added)} had said when it was cut`);
    }
    const isSame = isSameList(parts, message.parts);
    const kept = isSame ? message : { ...message, parts };
    const named = added === undefined || 'id' in kept ? kept : { id: idAfter(out.at(-1)?.message, added), ...kept };
    out.push({ message: named, from: slot.at });
  }
  return turn.ids === 'keep' ? out : withUniqueIds(out, withCallIds, { ...turn, note }, anyId.longest);

  /** The steps of a reply; where one says last what the model thought, or what was cut, it says that it was cut. */
  function settleSteps(slot: Slot): AISDKPart[] {
    const steps = slot.steps.map((step) => settleStep(slot, step));
    /** The last step of the model's turn that says something. */
    let ending: AISDKPart[] | undefined;
    slot.steps.forEach(({ opening }, i) => {
      // What a person said in between ends the model's turn.
      if (opening?.type === 'steering-message') endTurn(slot, ending, false);
      if (steps[i]?.some(isSent) === true) ending = steps[i];
    });
    endTurn(slot, ending, ending === steps.at(-1));
    return steps.flatMap((parts, i) => {
      const opening = slot.steps[i]?.opening;
      return opening === undefined ? parts : [opening, ...parts];
    });
  }

  function endTurn({ entry, at, note: slotNote }: Slot, ending: AISDKPart[] | undefined, isLast: boolean): void {
    const last = ending?.filter(isSent).at(-1);
    if (ending === undefined || last === undefined) return;
    if (isReasoning(last)) slotNote(at, 'thinking-not-last', 'said after the reasoning that the reply was cut');
    const isShort = isLast && entry.added !== undefined && entry.isWhole !== true && !ending.some(isOurCall);
    if (isReasoning(last) || isShort) ending.push(doneText(turn.words(entry.cutBy?.kind ?? 'unknown', 'cut')));
  }

  /** A step with an end for everything in it. */
  function settleStep(slot: Slot, step: Step): AISDKPart[] {
    const batchHasRows = step.parts.some(({ call }) => call !== undefined && batched.has(call));
    return step.parts.flatMap((one) =>
      one.call === undefined ? endText(slot, one.part) : endCall(slot, step, one, batchHasRows),
    );
  }

  function endText(slot: Slot, part: AISDKPart): AISDKPart[] {
    if (stateOf(part) !== 'streaming') return [part];
    slot.note(slot.at, 'part-done', 'marked a text as ended that was still streaming');
    const done: AISDKPart & Readonly<Record<string, unknown>> = { ...part, state: 'done' };
    return [done];
  }

  /** A call with an end, or nothing if it was cut before it could have run. */
  function endCall(slot: Slot, step: Step, one: UIPart, batchHasRows: boolean): AISDKPart[] {
    const { part, call } = one as Required<UIPart>;
    const { id, name, isServer } = call;
    if (isFinished(part)) {
      const breach = breachOfEnd(part);
      if (breach !== undefined) slot.note(slot.at, 'result-content', `${breach}: ${name} (${id})`);
      const ended = withLegalEnd(part);
      const whole = withObjectInput(ended);
      if (whole !== ended) slot.note(slot.at, 'call-arguments', `made the arguments of ${name} (${id}) an object`);
      return [whole];
    }
    const row = rows.get(call);
    const isLast = step === lastStep && turn.reason === undefined && row === undefined;
    // Whoever sends this next runs what a person allowed, or goes on with what the provider began.
    if (isLast && isDecided(part)) return [part];
    if (isServer) {
      if (isLast && !step.isCut) return [part];
      slot.note(slot.at, 'server-call-answered', `removed the call of a tool of the provider that was cut: ${id}`);
      return [];
    }
    if (wholeInput(part) === undefined && !recorded.has(call)) {
      slot.note(slot.at, 'call-arguments', `removed the call ${name} (${id}): its arguments were cut off`);
      return [];
    }
    const soFar = field(part, 'preliminary') === true ? field(part, 'output') : undefined;
    const inLastBatch = step === lastBatch;
    // The SDK starts tools while the reply still streams: that the reply was cut does not say that a call did not run.
    const known = { name, row, cutBy: undefined, batchHasRows: batchHasRows && soFar === undefined, inLastBatch };
    const reason = slot.entry.cutBy ?? turn.reason;
    const answer = answerCall(withDecision(known, approvalOf(part), reason), { ...turn, reason, isPage: true });
    slot.note(slot.at, 'call-answered', `answered ${name} (${id}): ${answer.status}`);
    return [
      partFromAnswer(
        part,
        withOutput(answer, row === undefined || field(row, 'partial') === undefined ? toldOf(row, soFar) : undefined),
      ),
    ];
  }
}

/** What a tool had shown before its end, unless its row says that it is not for the model. */
function toldOf(row: ToolOutcome | undefined, soFar: unknown): unknown {
  const shown = row === undefined || soFar === undefined ? undefined : shownOf(row.call, soFar, false);
  return shown === undefined ? soFar : shown.value;
}

/** The answer with what the tool had shown before its end. */
function withOutput(answer: Answer, soFar: unknown): Answer {
  if (soFar === undefined || answer.status === 'completed') return answer;
  return { ...answer, text: `${answer.text}\nOutput so far:\n${valueText(soFar)}` };
}

/** Whether a person has said yes or no. */
function isDecided(part: AISDKPart): boolean {
  const approval = approvalOf(part);
  return stateOf(part) === 'approval-responded' && typeof (approval && field(approval, 'approved')) === 'boolean';
}

function isOurCall(part: AISDKPart): boolean {
  return isCall(part) && !isServerCall(part);
}

function isClientCall({ call }: UIPart): boolean {
  return call?.isServer === false;
}

/** Whether the model sees this part. */
function isSent(part: AISDKPart): boolean {
  return !part.type.startsWith('source-') && !part.type.startsWith('data-');
}

/** An id that is derived, so that it is the same next time. */
function idAfter(before: AISDKUIMessage | undefined, modelCall: number): string {
  return `${before?.id ?? 'message'}_cut${String(modelCall)}`;
}
