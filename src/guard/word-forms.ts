/**
 * In what form a tool returns words to whoever called it: a text, but for handlers of MCP and for LangChain's tools with an
 * artifact.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
import { fieldsOf } from '../core/interrupt/calls/call-identity.ts';
import type { TokenLike } from '../core/token/cancellation-token.ts';
import { isToolCall } from './arguments.ts';
import { returnsPair } from './langchain-results.ts';

/** Makes the result of a tool from words. */
export type WordForm = (words: string) => unknown;

const asText: WordForm = (words) => words;
const asPair: WordForm = (words) => [words, undefined];
const asMcpResult: WordForm = (words) => ({ content: [{ type: 'text', text: words }], isError: true });

/**
 * The form that a call with these arguments wants.
 *
 * @returns `undefined` where nobody can know it: a function behind a tool of LangChain, of which the models of the turn were
 * not told.
 */
export function wordForm(turn: TokenLike, args: readonly unknown[]): WordForm | undefined {
  if (args.some(isOfMcpServer)) return asMcpResult;
  // The tool itself: what calls it makes a message of a text.
  if (isToolCall(fieldsOf(args[0]))) return asText;
  const config = args.slice(1).map(fieldsOf).find(isOfLangChain);
  if (config === undefined) return asText;
  const isPair = returnsPair(turn, fieldsOf(config['toolCall'])['name']);
  return isPair === undefined ? undefined : isPair ? asPair : asText;
}

/** What a handler is given last, by either version of the SDK. What the model writes has no functions. */
function isOfMcpServer(arg: unknown): boolean {
  const { sendNotification, mcpReq } = fieldsOf(arg);
  return typeof (sendNotification ?? fieldsOf(mcpReq)['notify']) === 'function';
}

/** The config that a tool hands to its function. */
function isOfLangChain({ toolCall, recursionLimit }: ReturnType<typeof fieldsOf>): boolean {
  return typeof recursionLimit === 'number' || isObject(fieldsOf(toolCall)['args']);
}
