/**
 * Where the arguments of a tool carry a signal, the id that a framework has given to the call, and what was asked for. Knows the shapes of
 * frameworks, and none of the frameworks.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
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

/** What a framework says that the model asked for, where one argument, the first or a later one, says so. */
export function askedIn(arg: unknown, index: number): unknown {
  const fields = fieldsOf(arg);
  if (index > 0) {
    // LangChain's config has `args`, the details of OpenAI Agents have them as JSON.
    const call = fieldsOf(fields['toolCall']);
    return text(call['arguments']) ?? objectIn(call['args']);
  }
  if (fields['type'] === 'tool_call' && text(fields['id']) !== undefined) return objectIn(fields['args']);
  // A request of MCP may come without arguments.
  if (fields['method'] === 'tools/call') return fieldsOf(fieldsOf(fields['params'])['arguments']);
  // What Mastra hands over before its version 1.
  return isObject(fields['runtimeContext']) ? fieldsOf(fields['context']) : undefined;
}

function objectIn(value: unknown): object | undefined {
  return isObject(value) ? value : undefined;
}
