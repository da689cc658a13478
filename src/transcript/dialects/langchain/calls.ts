/**
 * The calls of a reply, from all the places where LangChain and its providers keep them.
 * In a file of its own because what is sent depends on the provider: a call that only one of these places knows is sent
 * by one provider and not by another.
 *
 * @module
 */
import { field, isRecord, parseRecord, recordsIn, textIn } from '../../reading/fields.ts';
import { read, type LangChainMessage } from './message.ts';

/** A call of a reply. */
export interface LangChainCall {
  /** The entry of `tool_calls`, or what stands for it. */
  readonly entry: object;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Its arguments; `undefined` if the stream was cut inside them. */
  readonly args: object | undefined;
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
  const chunks = recordsIn(read(message, 'tool_call_chunks'));
  const listed = recordsIn(read(message, 'tool_calls')).map((entry) => listedCall(entry, chunks));
  const more = read(message, 'additional_kwargs');
  const raw = listed.length > 0 || !isRecord(more) ? [] : recordsIn(field(more, 'tool_calls'));
  const calls = [...listed, ...raw.map((entry) => ({ ...listedCall(entry, []), place: 'raw' as const }))];
  const known = new Set(calls.filter((call) => call.name !== undefined).map((call) => call.id));
  const blocks = recordsIn(read(message, 'content')).filter((block) => isCallBlock(block));
  for (const entry of blocks) {
    const call = blockCall(entry);
    if (known.has(call.id)) continue;
    calls.push(call);
    if (call.name !== undefined) known.add(call.id);
  }
  for (const entry of recordsIn(read(message, 'invalid_tool_calls'))) {
    const [id, name] = [textIn(field(entry, 'id')), textIn(field(entry, 'name'))];
    if (id !== undefined && name !== undefined && !known.has(id)) {
      calls.push({ entry, id, name, args: undefined, place: 'invalid' });
      known.add(id);
    }
  }
  return calls;
}

function listedCall(entry: object, chunks: readonly object[]): LangChainCall {
  const body = field(entry, 'function');
  const id = textIn(field(entry, 'id'));
  if (isRecord(body)) {
    const json = field(body, 'arguments');
    const args = typeof json === 'string' && !isCutInChunks(id, chunks) ? parseRecord(json) : undefined;
    return { entry, id, name: textIn(field(body, 'name')), args, place: 'listed' };
  }
  const args = field(entry, 'args');
  const isWhole = isRecord(args) && !isCutInChunks(id, chunks);
  return { entry, id, name: textIn(field(entry, 'name')), args: isWhole ? args : undefined, place: 'listed' };
}

/** LangChain reads half-streamed arguments leniently; the chunks hold the true text. */
function isCutInChunks(id: string | undefined, chunks: readonly object[]): boolean {
  const first = chunks.find((chunk) => id !== undefined && field(chunk, 'id') === id);
  if (first === undefined || field(first, 'isCustomTool') === true) return false;
  const index = field(first, 'index');
  const own = chunks.filter((chunk) => field(chunk, 'id') === id || isMore(chunk, index));
  const text = own.map((chunk) => textIn(field(chunk, 'args')) ?? '').join('');
  return text.trim() !== '' && parseRecord(text) === undefined;
}

/** Whether this continues the chunk with this index. */
function isMore(chunk: object, index: unknown): boolean {
  return index !== undefined && field(chunk, 'index') === index && textIn(field(chunk, 'id')) === undefined;
}

function blockCall(block: object): LangChainCall {
  const given = field(block, 'type') === 'tool_use' ? field(block, 'input') : field(block, 'args');
  const args = typeof given === 'string' ? parseRecord(given) : isRecord(given) ? given : undefined;
  return { entry: block, id: textIn(field(block, 'id')), name: textIn(field(block, 'name')), args, place: 'block' };
}

/** The entry of `tool_calls` for a call: its own if that is whole. */
export function entryOf({ entry, id, name, args, place }: LangChainCall): object {
  if (place === 'listed' && args !== undefined) return entry;
  const body = field(entry, 'function');
  if (place === 'listed' && isRecord(body)) return { ...entry, function: { ...body, arguments: '{}' } };
  return { ...(place === 'listed' ? entry : {}), type: 'tool_call', id, name, args: args ?? {} };
}
