/**
 * The parts of a chat's messages that a stop left open, settled, so that the next request can be made of them.
 * In the adapter's room; typed by structure, because a UI message's type is the application's.
 *
 * Pure: what it is given is not changed, and messages with nothing open are returned as they are.
 *
 * @module
 */
import { show } from '../../core/foundation/check.ts';
import type { ToolOutcome } from '../../core/interrupt/outcomes.ts';

/**
 * A message of `useChat`, as far as settling goes.
 *
 * @since 0.1.0
 */
export interface AIUIMessage {
  readonly role: string;
  readonly parts: readonly { readonly type: string }[];
}

/**
 * Options of {@link settleUIMessages}.
 *
 * @since 0.1.0
 */
export interface SettleUIOptions {
  /** The turn's ledger, `report.calls`: says what became of each call. */
  readonly outcomes?: readonly ToolOutcome[] | undefined;
  /** What an open call is answered with; by default a sentence that says what is known of it. */
  readonly textOf?: ((call: { readonly toolCallId: string; readonly status: string }) => string) | undefined;
}

/** What is known of a call, for the model. */
const texts: Readonly<Record<string, string>> = {
  stopped: 'The call was stopped before it finished. Do not repeat it unless asked.',
  'not-started': 'The call was not run: the turn was stopped first. Do not repeat it unless asked.',
  skipped: 'The call was not run: a newer message came first.',
  unknown: 'The call did not stop in time and may have taken effect. Check before you repeat it.',
  declined: 'The call was declined by the user.',
  failed: 'The call failed.',
  completed: 'The call finished, but its result was not recorded.',
};

interface ToolPart {
  readonly type: string;
  readonly toolCallId: string;
  readonly state: string;
  readonly input?: unknown;
}

const openStates = new Set(['input-streaming', 'input-available', 'approval-requested', 'approval-responded']);

function isOpenTool(part: { readonly type: string }): part is ToolPart {
  const { type, state, toolCallId } = part as Partial<ToolPart> & { readonly type: string };
  const isTool = type === 'dynamic-tool' || type.startsWith('tool-');
  return isTool && typeof toolCallId === 'string' && state !== undefined && openStates.has(state);
}

/** An open call, answered; of an approval nothing is left, for nobody will give it any more. */
function settleTool(part: ToolPart, options: SettleUIOptions): object {
  const { approval: _approval, ...rest } = part as ToolPart & { readonly approval?: unknown };
  const { toolCallId } = part;
  const outcome = options.outcomes?.find(({ id }) => id === toolCallId);
  if (outcome?.status === 'completed') return { ...rest, state: 'output-available', output: outcome.value };
  const status = outcome?.status ?? (part.state === 'input-available' ? 'stopped' : 'not-started');
  const errorText = options.textOf?.({ toolCallId, status }) ?? texts[status] ?? texts['stopped'];
  // Half an input is none: a model is not sent what it never finished to say.
  const input = part.state === 'input-streaming' ? {} : part.input;
  return { ...rest, state: 'output-error', input, errorText };
}

function settlePart(part: { readonly type: string }, options: SettleUIOptions): object {
  if (isOpenTool(part)) return settleTool(part, options);
  const { state } = part as { readonly state?: unknown };
  const isText = part.type === 'text' || part.type === 'reasoning';
  return isText && state === 'streaming' ? { ...part, state: 'done' } : part;
}

/**
 * Settles what a stop left open in a chat's messages: a call without a result gets one, a text that was streaming is
 * done. Of messages like that `convertToModelMessages` makes a history that the next request is not refused for.
 *
 * @checkpoint never
 * @param messages The messages of `useChat`, or those that a server keeps.
 * @param options The ledger of the turn, and other words.
 * @returns The messages; those with nothing open are the same objects. Settling twice changes nothing.
 * @throws TypeError – not a list of UI messages.
 * @example
 * ```ts
 * import { settleUIMessages } from 'desist/ai-sdk'
 *
 * const call = { type: 'tool-search', toolCallId: '1', state: 'input-available', input: { query: 'x' } }
 * const [message] = settleUIMessages([{ role: 'assistant', parts: [call] }])
 * message?.parts.map((part) => (part as { state?: string }).state) // => ['output-error']
 * ```
 * @source AI SDK `convertToModelMessages`
 * @since 0.1.0
 */
export function settleUIMessages<M extends AIUIMessage>(messages: readonly M[], options: SettleUIOptions = {}): M[] {
  if (!Array.isArray(messages)) throw new TypeError(`messages must be a list of UI messages, got ${show(messages)}`);
  return (messages as readonly M[]).map((message) => {
    const parts = (message as Partial<M>).parts;
    if (!Array.isArray(parts)) throw new TypeError(`a UI message must have parts, got ${show(message)}`);
    const settled = message.parts.map((part) => settlePart(part, options));
    return settled.every((part, index) => part === message.parts[index]) ? message : { ...message, parts: settled };
  });
}
