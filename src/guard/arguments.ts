/**
 * Where the arguments of a tool carry a signal, the id that a framework has given to the call, and what was asked for. Knows the shapes of
 * frameworks, and none of the frameworks.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
import { isAbortSignal } from '../core/token/bridge/signal.ts';
import { fieldsOf, text } from '../core/interrupt/calls/call-identity.ts';
import { changed, isPlain, literalsIn } from './shapes.ts';

/** The fields in which frameworks hand over a signal; a program may call its own as it likes. */
const signalFields = ['abortSignal', 'signal', 'cancelSignal'];

/** The signals in one argument: itself, those in its fields, and those of the literals in it; those under a known name first. */
export function signalsIn(arg: unknown): AbortSignal[] {
  if (!isObject(arg)) return [];
  if (isAbortSignal(arg)) return [arg];
  const literals = literalsIn([arg]);
  const known: AbortSignal[] = [];
  const others: AbortSignal[] = [];
  for (const [each, data] of literals.size > 0 ? literals : [[arg, []] as const]) {
    const fields = fieldsOf(each);
    known.push(...signalFields.map((field) => fields[field]).filter(isAbortSignal));
    // Under other names nothing is asked what it is: it may be an object that answers every question, or refuses all.
    others.push(...data.map(([, value]) => value).filter((value) => value instanceof AbortSignal));
  }
  return [...known, ...others];
}

/** The same arguments with another signal wherever a literal of them has this one. */
export function withSignal(args: readonly unknown[], from: AbortSignal, to: AbortSignal): unknown[] {
  const own = changed(args, (each, data) => {
    const fields = fieldsOf(each);
    const answers = new Map<string, unknown>();
    for (const field of signalFields) if (fields[field] === from) answers.set(field, to);
    for (const [name, value] of data) if (value === from) answers.set(name, to);
    return answers;
  });
  return own.map((arg) => (arg === from ? to : arg));
}

/** Whether a value is no data that a model could have sent: a signal or what holds one, an instance, a function. */
export function isOfProgram(arg: unknown): boolean {
  if (arg === undefined || typeof arg === 'function' || isAbortSignal(arg)) return true;
  if (signalsIn(arg).length > 0) return true;
  return (
    isObject(arg) && !isPlain(arg) && !/(?:Array|Buffer|Date|Map|Set|URL)\]$/.test(Object.prototype.toString.call(arg))
  );
}

/** Whether a model could not have written it: JSON holds no signal, no instance, no function, and nothing that is `undefined`. */
function isOfFramework(arg: unknown): boolean {
  if (!isObject(arg) || isOfProgram(arg)) return isObject(arg);
  return Object.values(Object.getOwnPropertyDescriptors(arg)).some(({ value }) => isOfProgram(value));
}

/** A call as LangChain hands it over in the place of its arguments. */
function isToolCall({ type, id, args }: ReturnType<typeof fieldsOf>): boolean {
  return type === 'tool_call' && text(id) !== undefined && isObject(args);
}

/**
 * What the framework calls a call, as an argument says that the model cannot have written: the one that holds the signal, where there is
 * one. Of a tool of LangChain a whole call stands in the place of its arguments.
 */
export function callIdOf(args: readonly unknown[], tool: object | undefined): string | undefined {
  const [first] = args;
  if (Array.isArray(fieldsOf(tool)['lc_namespace']) && isToolCall(fieldsOf(first))) return text(fieldsOf(first)['id']);
  const holders = args.filter((arg) => signalsIn(arg).length > 0);
  const given = holders.length > 0 ? holders : args.filter(isOfFramework);
  return given
    .reverse()
    .map(callIdIn)
    .find((id) => id !== undefined);
}

function callIdIn(arg: unknown): string | undefined {
  const fields = fieldsOf(arg);
  const call = fieldsOf(fields['toolCall'] ?? fields['toolUse']);
  const { toolCallId } = fieldsOf(fields['agent']);
  const ids = [fields['toolCallId'], toolCallId, call['callId'], call['toolCallId'], call['toolUseId'], call['id']].map(
    text,
  );
  const id = ids.find((each) => each !== undefined);
  if (id !== undefined) return id;
  const request = fields['requestId'] ?? fieldsOf(fields['mcpReq'])['id'];
  return typeof request === 'number' ? String(request) : text(request);
}

/** The call that Strands hands over in the place of arguments. */
export function strandsUse(arg: unknown): { readonly id: string; readonly input: unknown } | undefined {
  const { toolUseId, input } = fieldsOf(fieldsOf(arg)['toolUse']);
  const id = text(toolUseId);
  return id === undefined || !isOfFramework(arg) ? undefined : { id, input };
}

/** What a framework says that the model asked for, where one argument, the first or a later one, says so. */
export function askedIn(arg: unknown, index: number): unknown {
  const fields = fieldsOf(arg);
  if (index > 0) {
    // LangChain's config has `args`, the details of OpenAI Agents have them as JSON.
    const call = fieldsOf(fields['toolCall']);
    return text(call['arguments']) ?? objectIn(call['args']);
  }
  if (isToolCall(fields)) return fields['args'];
  const params = fieldsOf(fields['params']);
  // A request of MCP may come without arguments.
  if (fields['method'] === 'tools/call' && text(params['name']) !== undefined) return fieldsOf(params['arguments']);
  const use = strandsUse(arg);
  if (use !== undefined) return use.input;
  // What Mastra hands over before its version 1: a context of a class of its own beside that of the model.
  const context = fields['runtimeContext'];
  return isObject(context) && !isPlain(context) ? fieldsOf(fields['context']) : undefined;
}

function objectIn(value: unknown): object | undefined {
  return isObject(value) ? value : undefined;
}
