/**
 * The calls of a reply, from all the places where LangChain and its providers keep them.
 * In a file of its own because what is sent depends on the provider: a call that only one of these places knows is sent
 * by one provider and not by another.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import { field, isJsonObject, isRecord, parseRecord, recordsIn, textIn } from '../../reading/fields.ts';
import { isHalfCall, type CallPlace } from '../../reading/ends/half-call.ts';
import { fieldsOf, type LangChainMessage } from './message.ts';

/** A call of a reply. */
export interface LangChainCall {
  /** The entry of `tool_calls`, or what stands for it. */
  readonly entry: object;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Its arguments; `undefined` if the stream was cut inside them. */
  readonly args: object | undefined;
  /** What it asks for: its arguments, or as much of them as came. */
  readonly input: unknown;
  /** `listed` in `tool_calls` · `raw` in the provider's own words only · `block` in the content only · `invalid` not sent. */
  readonly place: 'listed' | 'raw' | 'block' | 'invalid';
}

/** Whether a content block is a call, in the form of a provider or of LangChain. */
export function isCallBlock(block: object): boolean {
  const type = field(block, 'type');
  return type === 'tool_use' || type === 'tool_call';
}

/** The calls of a reply: those that are sent, and those that are not but could be. */
export function callsOf(message: LangChainMessage): readonly LangChainCall[] {
  const fields = fieldsOf(message);
  const halfOf = halvesIn(message);
  const listed = recordsIn(field(fields, 'tool_calls')).map((entry) => listedCall(entry, halfOf));
  const more = field(fields, 'additional_kwargs');
  const raw = listed.length > 0 || !isRecord(more) ? [] : recordsIn(field(more, 'tool_calls'));
  const calls = [...listed, ...raw.map((entry) => ({ ...listedCall(entry, () => undefined), place: 'raw' as const }))];
  const known = new Set(calls.filter((call) => call.name !== undefined).map((call) => call.id));
  const blocks = recordsIn(field(fields, 'content')).filter((block) => isCallBlock(block));
  for (const entry of blocks) {
    const call = blockCall(entry);
    if (known.has(call.id)) continue;
    calls.push(call);
    if (call.name !== undefined) known.add(call.id);
  }
  for (const entry of recordsIn(field(fields, 'invalid_tool_calls'))) {
    const [id, name] = [textIn(field(entry, 'id')), textIn(field(entry, 'name'))];
    if (id !== undefined && name !== undefined && !known.has(id)) {
      calls.push({ entry, id, name, args: undefined, input: field(entry, 'args'), place: 'invalid' });
      known.add(id);
    }
  }
  return calls;
}

function listedCall(entry: object, halfOf: (id: string | undefined) => string | undefined): LangChainCall {
  const body = field(entry, 'function');
  const id = textIn(field(entry, 'id'));
  const given = isRecord(body) ? field(body, 'arguments') : field(entry, 'args');
  const input = halfOf(id) ?? given;
  const args =
    isRecord(body) && typeof input === 'string' ? parseRecord(input) : isJsonObject(input) ? input : undefined;
  return {
    entry,
    id,
    name: textIn(field(isRecord(body) ? body : entry, 'name')),
    args,
    input: args ?? input,
    place: 'listed',
  };
}

/** The arguments of calls that were cut. */
function halvesIn(message: LangChainMessage): (id: string | undefined) => string | undefined {
  const textOf = streamedIn(message);
  return (id) => {
    const text = textOf(id);
    return text === undefined || text.trim() === '' || parseRecord(text) !== undefined ? undefined : text;
  };
}

/** The arguments of calls as they were streamed: LangChain reads half ones leniently, and the chunks hold the true text. */
function streamedIn(message: LangChainMessage): (id: string | undefined) => string | undefined {
  const chunks = recordsIn(field(fieldsOf(message), 'tool_call_chunks'));
  interface Text {
    readonly isText: boolean;
    readonly pieces: string[];
  }
  const texts = new Map<string, Text>();
  /** Only the first chunk of a call has its id; those after it have its index. */
  const byIndex = new Map<unknown, Text>();
  for (const chunk of chunks) {
    const id = textIn(field(chunk, 'id'));
    const index = field(chunk, 'index');
    let own = id === undefined ? byIndex.get(index) : texts.get(id);
    if (own === undefined && id !== undefined) {
      own = { isText: field(chunk, 'isCustomTool') === true, pieces: [] };
      texts.set(id, own);
      if (index !== undefined) byIndex.set(index, own);
    }
    own?.pieces.push(textIn(field(chunk, 'args')) ?? '');
  }
  return (id) => {
    const own = id === undefined ? undefined : texts.get(id);
    return own === undefined || own.isText ? undefined : own.pieces.join('');
  };
}

/** Whether a call is not whole: of what was not streamed the last block may hold as much of it as could be read. */
export function isHalfInLangChain(call: TranscriptCall, place: CallPlace<LangChainMessage>): boolean {
  if (!place.isCut || isHalfCall(call, place)) return place.isCut;
  if (!place.isLast) return false;
  const text = streamedIn(place.reply)(call.id);
  const last = recordsIn(field(fieldsOf(place.reply), 'content')).at(-1) ?? {};
  return text === undefined ? field(last, 'type') === 'tool_use' && field(last, 'id') === call.id : text.trim() === '';
}

function blockCall(block: object): LangChainCall {
  const given = field(block, 'type') === 'tool_use' ? field(block, 'input') : field(block, 'args');
  const args = typeof given === 'string' ? parseRecord(given) : isJsonObject(given) ? given : undefined;
  const [id, name] = [textIn(field(block, 'id')), textIn(field(block, 'name'))];
  return { entry: block, id, name, args, input: args ?? given, place: 'block' };
}

/** The entry of `tool_calls` for a call: its own if that is whole. */
export function entryOf({ entry, id, name, args, place }: LangChainCall): object {
  if (place === 'listed' && args !== undefined) return entry;
  const body = field(entry, 'function');
  if (place === 'listed' && isRecord(body)) return { ...entry, function: { ...body, arguments: '{}' } };
  return { ...(place === 'listed' ? entry : {}), type: 'tool_call', id, name, args: args ?? {} };
}
