/**
 * How to read a message of a user interface: its steps, its calls and how far each of them came.
 *
 * @module
 */
import { field, isRecord, parseRecord, textIn } from '../../../reading/fields.ts';
import { isBlank, type AISDKPart } from '../message.ts';

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
