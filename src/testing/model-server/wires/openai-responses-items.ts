/**
 * A planned answer as the output items of the Responses API.
 *
 * @module
 */
import type { Fields } from '../transcript-rules/fields.ts';
import type { Block, PlannedAnswer, PlannedCall } from './wire.ts';

/** An item, and the text that a stream hands out in pieces; `undefined` for one that comes in one event. */
export interface OutputItem {
  /** As it is when it is whole. */
  readonly item: Fields;
  readonly block: Block | undefined;
}

/** The items of an answer, in order. The kind of a call follows from the tool that the request declares by that name. */
export function outputItems(answer: PlannedAnswer, body: Fields): readonly OutputItem[] {
  const tools = Array.isArray(body['tools']) ? (body['tools'] as readonly Fields[]) : [];
  // Only who asks for it is given what lets a thought go back to a server that has not kept it.
  const isSealed = Array.isArray(body['include']) && body['include'].includes('reasoning.encrypted_content');
  let calls = 0;
  return answer.parts.map((part) => {
    const { block } = part;
    if (part.kind === 'call') return callItem(part.call, `${String(answer.n)}_${String(++calls)}`, tools);
    const place = `${String(answer.n)}${part.place}`;
    if (part.kind === 'text') {
      const content = [textPart(block.whole)];
      return { item: { id: `msg_${place}`, type: 'message', status: 'completed', role: 'assistant', content }, block };
    }
    const summary = [{ type: 'summary_text', text: block.whole }];
    const sealed = isSealed ? { encrypted_content: `signature-${place}` } : {};
    return { item: { id: `rs_${place}`, type: 'reasoning', summary, ...sealed }, block };
  });
}

/** A part of a message's content. */
export function textPart(text: string): Fields {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function callItem(call: PlannedCall, place: string, tools: readonly Fields[]): OutputItem {
  const { id: call_id, name, input, json } = call;
  const status = 'completed';
  const isBuiltIn = tools.some((tool) => tool['type'] === name);
  if (isBuiltIn && name === 'shell') {
    const item = { id: `sh_${place}`, type: 'shell_call', status, call_id, action: input, environment: null };
    return { item, block: undefined };
  }
  if (isBuiltIn && name === 'apply_patch') {
    return {
      item: { id: `apc_${place}`, type: 'apply_patch_call', status, call_id, operation: input },
      block: undefined,
    };
  }
  if (tools.some((tool) => tool['type'] === 'custom' && tool['name'] === name)) {
    const text = typeof input === 'string' ? { whole: input, pieces: [input] } : json;
    const item = { id: `ctc_${place}`, type: 'custom_tool_call', status, call_id, name, input: text.whole };
    return { item, block: text };
  }
  return {
    item: { id: `fc_${place}`, type: 'function_call', status, call_id, name, arguments: json.whole },
    block: json,
  };
}
