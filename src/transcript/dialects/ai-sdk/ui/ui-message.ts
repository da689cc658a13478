/**
 * How to read a message of a user interface: its steps, its calls and how far each of them came.
 *
 * @module
 */
import { field, isRecord, parseRecord, textIn } from '../../../reading/fields.ts';
import type { AskedCall, ReplyReader } from '../../../reading/partials.ts';
import { uiPartsOf } from './ui-fold.ts';
import { isBlank, isPart, isReasoning, proseOf, sealOf, type AISDKPart, type AISDKUIMessage } from '../message.ts';

/** Whether this is the part of a call: of a tool by name, or of one that is known only at run time. */
export function isCall(part: AISDKPart): boolean {
  return part.type === 'dynamic-tool' || part.type.startsWith('tool-');
}

/** The id of a call. */
export function callIdOf(part: AISDKPart): string | undefined {
  return textIn(field(part, 'toolCallId'));
}

/** The name of a call. */
export function nameOf(part: AISDKPart): string | undefined {
  return textIn(part.type === 'dynamic-tool' ? field(part, 'toolName') : part.type.slice('tool-'.length));
}

/** How far a call or a text came, in the SDK's words. */
export function stateOf(part: AISDKPart): string | undefined {
  return textIn(field(part, 'state'));
}

/** The decision about a call, or the question. */
export function approvalOf(part: AISDKPart): object | undefined {
  const approval = field(part, 'approval');
  return isRecord(approval) ? approval : undefined;
}

/** Whether the provider runs this call. */
export function isServerCall(part: AISDKPart): boolean {
  return field(part, 'providerExecuted') === true;
}

/** Whether a call has its result. What a tool of ours shows while it runs is none yet. */
export function isFinished(part: AISDKPart): boolean {
  const state = stateOf(part);
  if (state === 'output-available') return isServerCall(part) || field(part, 'preliminary') !== true;
  return state === 'output-error' || state === 'output-denied';
}

/** The input of a call; `undefined` if the stream was cut inside it. */
export function wholeInput(part: AISDKPart): unknown {
  if (stateOf(part) !== 'input-streaming') return field(part, 'input') ?? {};
  const raw = field(part, 'rawInput');
  return typeof raw === 'string' ? parseRecord(raw) : undefined;
}

/** Whether a message says anything: a step begins, but says nothing. */
export function saysSomething(parts: readonly AISDKPart[]): boolean {
  return parts.some((part) => part.type !== 'step-start' && !isBlank(part));
}

/** Whether this part ends what becomes one message for the model. */
export function isBoundary(part: AISDKPart): boolean {
  return part.type === 'step-start' || part.type === 'steering-message';
}

/** A text part that is finished. */
export function doneText(text: string): AISDKPart {
  const part: AISDKPart & Readonly<Record<string, unknown>> = { type: 'text', text, state: 'done' };
  return part;
}

/** How `withPartials` reads messages of a user interface. */
export const uiReplies: ReplyReader<AISDKUIMessage> = {
  mayMerge: true,
  // A message keeps its id while it grows.
  idOf: ({ id }) => textIn(id),
  stepsIn: ({ parts }) => parts.filter(({ type }) => type === 'step-start').length || 1,
  grown: (message, partial) => ({ ...message, ...partial, ...(message.id === undefined ? {} : { id: message.id }) }),
  parts(message) {
    if (message.role !== 'assistant') return undefined;
    const { parts } = message;
    const calls: (AskedCall & { readonly isWhole: boolean })[] = [];
    /** The calls of this step: another step may have the same id. */
    const here = new Set<string>();
    /** The provider's own of this step: a call of ours that has the same id is renamed, or goes with it. */
    const servers = new Set<string>();
    for (const part of parts) {
      if (isBoundary(part)) for (const ids of [here, servers]) ids.clear();
      const id = isCall(part) && nameOf(part) !== undefined ? callIdOf(part) : undefined;
      if (id === undefined) continue;
      if (isServerCall(part)) servers.add(id);
      else if (!here.has(id)) {
        here.add(id);
        const isWhole = wholeInput(part) !== undefined && !servers.has(id);
        // Of its arguments a repair need leave nothing.
        calls.push({ id, name: nameOf(part) as string, input: undefined, isWhole });
      }
    }
    return {
      prose: proseOf(parts),
      calls: calls.map(({ id }) => id),
      wholeCalls: calls.filter(({ isWhole }) => isWhole),
      seals: parts.filter(isReasoning).flatMap((part) => sealOf(part) ?? []),
    };
  },
  isPrompt: (message) => message.role !== 'assistant',
  fromCall({ id, name, input }) {
    const call = { type: 'dynamic-tool', toolName: name, toolCallId: id, state: 'input-available', input };
    return { id: `call_${id}`, role: 'assistant', parts: [call] };
  },
  fromPartial(value) {
    if (typeof value === 'string') return { role: 'assistant', parts: [doneText(value)] };
    if (!isRecord(value) || field(value, 'role') !== 'assistant') return undefined;
    const parts = field(value, 'parts');
    if (Array.isArray(parts)) return { ...value, role: 'assistant', parts: parts.filter(isPart) };
    const content = field(value, 'content');
    if (typeof content === 'string') return { role: 'assistant', parts: [doneText(content)] };
    if (!Array.isArray(content)) return undefined;
    return { role: 'assistant', parts: uiPartsOf([{ role: 'assistant', content }]) };
  },
};
