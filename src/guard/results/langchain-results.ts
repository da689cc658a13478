/**
 * What LangChain tells the model of what a tool's function returned. A guard stands around the function, where a result
 * still holds what is not meant for the model: artifacts, and the state of a graph.
 *
 * @module
 */
import { notShown, shownAs } from '../../core/foundation/results/shown.ts';
import { fieldsOf, text } from '../../core/interrupt/calls/call-identity.ts';
import type { Turn } from '../../core/interrupt/public-types/turn.ts';
import { tokenOf } from '../../core/token/bridge/linked-tokens.ts';
import type { TokenLike } from '../../core/token/cancellation-token.ts';

/** By the token of a turn, whether its tools return a content and an artifact: a function cannot be asked for that. */
const pairing = new WeakMap<object, Map<string, boolean>>();

/** Remembers which of a turn's tools return a content and an artifact, and which do not. */
export function rememberPairs({ token }: Pick<Turn, 'token'>, tools: unknown): void {
  for (const tool of Array.isArray(tools) ? (tools as readonly unknown[]) : []) {
    const { name, responseFormat } = fieldsOf(tool);
    if (typeof name !== 'string') continue;
    const key = tokenOf(token);
    const known = pairing.get(key) ?? new Map<string, boolean>();
    pairing.set(key, known.set(name, responseFormat === 'content_and_artifact'));
  }
}

/** Whether a tool of a turn returns a content and an artifact; `undefined` if its models were not told of such a tool. */
export function returnsPair(turn: TokenLike, name: unknown): boolean | undefined {
  return pairing.get(tokenOf(turn))?.get(String(name));
}

/** What a row says is shown of its result, if it is LangChain that calls: its config has the call. */
export function langChainResult(turn: TokenLike, args: readonly unknown[]): PropertyDescriptorMap {
  const id = text(callIn(args)?.['id']);
  if (id === undefined) return {};
  const isPair = isPairOf(turn, args);
  return shownAs((value, isWhole) => contentOf(value, id, isPair && isWhole));
}

/** The call in LangChain's config. */
function callIn(args: readonly unknown[]): ReturnType<typeof fieldsOf> | undefined {
  return args.map((arg) => fieldsOf(fieldsOf(arg)['toolCall'])).find((call) => typeof call['args'] === 'object');
}

/** Whether what is called with these arguments returns a content and an artifact. */
export function isPairOf(turn: TokenLike, args: readonly unknown[]): boolean {
  const call = callIn(args);
  return call !== undefined && returnsPair(turn, call['name']) === true;
}

function contentOf(value: unknown, id: string, isPair: boolean): unknown {
  if (isPair) {
    const isOne = Array.isArray(value) && value.length === 2;
    return isOne ? contentOf(value[0], id, false) : notShown;
  }
  const fields = fieldsOf(value);
  if (fields['lg_name'] === 'Command') return commandContent(fields['update'], id);
  return fields['lc_direct_tool_output'] === true ? fields['content'] : value;
}

/** What is told of a command is the message in it that answers the call. */
function commandContent(update: unknown, id: string): unknown {
  const entries: readonly unknown[] = Array.isArray(update) ? update : Object.entries(fieldsOf(update));
  const messages = entries.flatMap((entry): unknown => {
    const [key, value] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    return key === 'messages' ? value : [];
  });
  const answer = messages.find((message) => fieldsOf(message)['tool_call_id'] === id);
  return answer === undefined ? notShown : fieldsOf(answer)['content'];
}
