/**
 * Where the arguments of a tool carry a signal, and the id that a framework has given to the call. Knows the shapes of
 * frameworks, and none of the frameworks.
 *
 * @module
 */
import { isAbortSignal } from '../core/token/bridge/signal.ts';
import { fieldsOf, text } from '../core/interrupt/calls/call-identity.ts';

/** A signal in the options of a call, and the field that holds it. */
export interface SignalField {
  readonly signal: AbortSignal;
  readonly field: string;
}

/** The signal in one argument. */
export function signalIn(arg: unknown): SignalField | undefined {
  for (const field of ['abortSignal', 'signal']) {
    const signal = fieldsOf(arg)[field];
    if (isAbortSignal(signal)) return { signal, field };
  }
  return undefined;
}

/** What the framework calls a call, where one argument says so. */
export function callIdIn(arg: unknown): string | undefined {
  const fields = fieldsOf(arg);
  const call = fieldsOf(fields['toolCall'] ?? fields['agent']);
  const own = fields['type'] === 'tool_call' ? fields['id'] : undefined;
  const ids = [fields['toolCallId'], call['callId'], call['toolCallId'], call['id'], own].map(text);
  const id = ids.find((each) => each !== undefined);
  if (id !== undefined) return id;
  const request = fields['requestId'];
  return typeof request === 'string' || typeof request === 'number' ? String(request) : undefined;
}
