/**
 * Makes a transcript of a user interface legal: every call has an end, and nothing is still streaming.
 * One pass to read, one to write; messages that were legal come out as the same objects.
 *
 * @module
 */
import { shownOf } from '../../../../core/foundation/results/shown.ts';
import type { TranscriptCall } from '../../../dialect.ts';
import type { ToolOutcome } from '../../../from-core.ts';
import { answerCall } from '../../../words/answers.ts';
import type { Answer } from '../../../words/values.ts';
import { valueText } from '../../../words/values.ts';
import { field, isSameList } from '../../../reading/fields.ts';
import { lostNote } from '../../../../core/foundation/results/lost-note.ts';
import { settleEntries, type Entry, type WriteOptions } from '../../../reading/settle-entries.ts';
import { anyId } from '../../../reading/ids.ts';
import { createIdBook } from '../../../reading/id-book.ts';
import type { DialectResult, SettleOptions } from '../../rules.ts';
import { withDecision } from '../decision.ts';
import { isReasoning, type AISDKPart, type AISDKUIMessage } from '../message.ts';
import { fixedIds, named as withCallIds, withIds } from './ui-ids.ts';
import { approvalOf, callIdOf, doneText, isCall, isFinished, nameOf, saysSomething } from './ui-message.ts';
import { stateOf, wholeInput } from './ui-message.ts';
import { partFromAnswer, withLegalEnd, withObjectInput } from './ui-parts.ts';
import { readSlots, type Slot, type Step, type UIPart } from './ui-slots.ts';

/** Makes a transcript of messages of a user interface legal. */
export function settleUIMessages(
  messages: readonly AISDKUIMessage[],
  options: SettleOptions,
): DialectResult<AISDKUIMessage> {
  return settleEntries(messages, options, {
    giveIds: withIds,
    callsIn: (some) => some.flatMap(({ parts }) => parts.flatMap(callOf)),
    isReply: ({ role }) => role === 'assistant',
    write,
  });
}

/** The call in a part, in whatever state it is. */
function callOf(raw: AISDKPart): readonly TranscriptCall[] {
  const [id, name] = isCall(raw) ? [callIdOf(raw), nameOf(raw)] : [];
  if (id === undefined || name === undefined) return [];
  return [{ id, name, input: wholeInput(raw) ?? field(raw, 'input'), raw }];
}

function write(entries: readonly Entry<AISDKUIMessage>[], options: WriteOptions): readonly AISDKUIMessage[] {
  const { rowOf } = options;
  const slots = readSlots(entries, options.ids === 'keep' ? undefined : anyId.longest);
  const lastStep = slots.at(-1)?.steps.at(-1);

  const out = slots.flatMap((slot) => {
    const { message } = slot.entry;
    const isReply = message.role === 'assistant';
    const parts = isReply ? settleSteps(slot) : message.parts;
    if (isReply ? !saysSomething(parts) : parts.length === 0) return [];
    return [isSameList(parts, message.parts) ? message : { ...message, parts }];
  });
  if (options.ids === 'keep') return out;
  const book = createIdBook(anyId, options.ids, new Set(out.flatMap(fixedIds)));
  return out.map((message) => withCallIds(message, book));

  /** The steps of a reply; where one says last what the model thought, or what was cut, it says that it was cut. */
  function settleSteps(slot: Slot): AISDKPart[] {
    const steps = slot.steps.map(settleStep);
    /** The last step of the model's turn that says something. */
    let ending: AISDKPart[] | undefined;
    slot.steps.forEach(({ opening }, i) => {
      // What a person said in between ends the model's turn.
      if (opening?.type === 'steering-message') endTurn(ending);
      if (steps[i]?.some(isSent) === true) ending = steps[i];
    });
    endTurn(ending);
    return steps.flatMap((parts, i) => {
      const opening = slot.steps[i]?.opening;
      return opening === undefined ? parts : [opening, ...parts];
    });
  }

  function endTurn(ending: AISDKPart[] | undefined): void {
    const last = ending?.filter(isSent).at(-1);
    if (ending === undefined || last === undefined || !isReasoning(last)) return;
    ending.push(doneText(options.words('unknown', 'cut')));
  }

  /** A step with an end for everything in it. */
  function settleStep(step: Step): AISDKPart[] {
    return step.parts.flatMap((one) => (one.call === undefined ? endText(one.part) : endCall(step, one)));
  }

  function endText(part: AISDKPart): AISDKPart[] {
    if (stateOf(part) !== 'streaming') return [part];
    const done: AISDKPart & Readonly<Record<string, unknown>> = { ...part, state: 'done' };
    return [done];
  }

  /** A call with an end, or nothing if it was cut before it could have run. */
  function endCall(step: Step, one: UIPart): AISDKPart[] {
    const { part, call } = one as Required<UIPart>;
    const { name, isServer } = call;
    if (isFinished(part)) return [withObjectInput(withLegalEnd(part))];
    const row = isServer ? undefined : rowOf(call);
    const isLast = step === lastStep && !options.isOver && row === undefined;
    // Whoever sends this next runs what a person allowed, or goes on with what the provider began.
    if (isLast && isDecided(part)) return [part];
    if (isServer && isLast && !step.isCut) return [part];
    // Told in its place, for nothing else of a page is for the model; one that nobody has allowed has not run.
    if (isServer) return mayHaveRun(part) ? [doneText(lostNote([name]))] : [];
    if (wholeInput(part) === undefined && row === undefined) return [];
    const soFar = field(part, 'preliminary') === true ? field(part, 'output') : undefined;
    // The SDK starts tools while the reply still streams: that the reply was cut does not say that a call did not run.
    const known = withDecision({ name, row, cutBy: undefined }, approvalOf(part), options.reason);
    const answer = answerCall(known, { ...options, isPage: true });
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

/** Whether nobody has to allow it, or somebody has. */
function mayHaveRun(part: AISDKPart): boolean {
  const approval = approvalOf(part);
  return approval === undefined || field(approval, 'approved') === true;
}

/** Whether the model sees this part. */
function isSent(part: AISDKPart): boolean {
  return !part.type.startsWith('source-') && !part.type.startsWith('data-');
}
