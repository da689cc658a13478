/**
 * The calls that a provider runs itself, in the content of LangChain's messages: in the provider's blocks, and in
 * LangChain's own.
 *
 * @module
 */
import { field, isRecord, recordsIn } from '../../reading/fields.ts';
import { hostedCalls, type HostedCalls, type HostedStep } from '../../reading/hosted-calls.ts';
import { withoutUnkept } from './content.ts';
import { askText, change, langChainTurns, read, speakerOf, type LangChainMessage } from './message.ts';

/** A result stands in the same reply or in a later one. */
export const langChainHosted: HostedCalls<LangChainMessage> = /* @__PURE__ */ hostedCalls<LangChainMessage>({
  stepsIn: (message) => (speakerOf(message) === 'ai' ? recordsIn(read(message, 'content')).flatMap(stepOf) : []),
  without(message, lost) {
    const blocks = recordsIn(read(message, 'content'));
    const places = new Set<unknown>(
      blocks.flatMap((block) => (lost.has(block) ? [field(block, 'index') ?? block] : [])),
    );
    // A stream leaves the arguments in pieces of their own.
    const content = blocks.filter(
      (block) => !lost.has(block) && !(isPiece(block) && places.has(field(block, 'index'))),
    );
    return change(withoutUnkept(message), { content: content.length === 0 ? '' : content });
  },
  turns: langChainTurns,
  user: askText,
});

function stepOf(block: object): HostedStep | readonly HostedStep[] {
  const type = String(field(block, 'type'));
  if (type === 'server_tool_call' || (type.endsWith('_tool_use') && type !== 'tool_use'))
    return { part: block, id: field(block, 'id'), kind: 'begun', name: String(field(block, 'name')) };
  if (type === 'server_tool_call_result' || (type.endsWith('_tool_result') && type !== 'tool_result'))
    return { part: block, id: field(block, 'tool_use_id') ?? field(block, 'toolCallId'), kind: 'ended' };
  const caller = field(block, 'caller');
  const id = isRecord(caller) ? field(caller, 'tool_id') : undefined;
  return id === undefined ? [] : { part: block, id, kind: 'made' };
}

function isPiece(block: object): boolean {
  const type = field(block, 'type');
  return type === 'input_json_delta' || type === 'server_tool_call_chunk';
}
