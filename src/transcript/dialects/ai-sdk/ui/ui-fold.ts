/**
 * Messages for a model as the parts of the one message that a user interface keeps of a run: its replies are steps, and
 * the results of tools belong to their calls.
 *
 * @module
 */
import { field, isRecord, recordsIn } from '../../../reading/fields.ts';
import { valueText } from '../../../words/values.ts';
import type { AISDKPart } from '../message.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The parts of the message that a user interface makes of some replies and of what their tools gave back.
 *
 * @param isKnown Whether somebody else says what became of a call: its result stays out.
 */
export function uiPartsOf(messages: readonly object[], isKnown: (id: unknown) => boolean = () => false): AISDKPart[] {
  const parts: AISDKPart[] = [];
  const places = new Map<unknown, number>();
  for (const message of messages) {
    const content = field(message, 'content');
    if (field(message, 'role') === 'assistant') parts.push({ type: 'step-start' });
    for (const part of typeof content === 'string' ? [{ type: 'text', text: content }] : recordsIn(content)) {
      const id = field(part, 'toolCallId');
      const made = uiPart(part as AISDKPart & Fields);
      if (made !== undefined) {
        places.set(id, parts.length);
        parts.push(made);
        continue;
      }
      const at = field(part, 'type') === 'tool-result' && !isKnown(id) ? places.get(id) : undefined;
      if (at !== undefined) parts[at] = ended(parts[at] as AISDKPart, field(part, 'output'));
    }
  }
  return parts;
}

/** A part for the model as the user interface keeps it; none for what it would not show. */
function uiPart(part: Fields): (AISDKPart & Fields) | undefined {
  const { type, text, toolCallId, toolName, input, providerOptions } = part;
  const metadata = providerOptions === undefined ? {} : { providerMetadata: providerOptions };
  switch (type) {
    case 'text':
    case 'reasoning':
      return { type, text, state: 'done', ...metadata };
    case 'tool-call': {
      const options = providerOptions === undefined ? {} : { callProviderMetadata: providerOptions };
      const executed = part['providerExecuted'] === true ? { providerExecuted: true } : {};
      const call = { type: `tool-${String(toolName)}`, toolCallId, state: 'input-available', input };
      return { ...call, ...executed, ...options };
    }
    default:
      return undefined;
  }
}

/** The part of a call with what its tool gave back. */
function ended(part: AISDKPart, output: unknown): AISDKPart {
  if (!isRecord(output)) return part;
  const { type, value, reason } = output as Fields;
  const as = (end: Fields): AISDKPart => ({ ...part, ...end });
  if (type === 'error-text' || type === 'error-json') return as({ state: 'output-error', errorText: valueText(value) });
  if (type === 'execution-denied') {
    return as({ state: 'output-denied', approval: { id: field(part, 'toolCallId'), approved: false, reason } });
  }
  return as({ state: 'output-available', output: type === 'content' ? output : value });
}
