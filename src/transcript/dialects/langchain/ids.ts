/**
 * The ids and the names of calls in messages of LangChain: of any server, and legal for every provider, because the
 * next request may go to another one.
 * Before everything else, so that the rest can trust that a call has an id and a result names its call.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import { field, isRecord, isSameList, recordsIn, textIn, without } from '../../reading/fields.ts';
import { createIdBook, Named } from '../../reading/id-book.ts';
import { anyId, legalName } from '../../reading/ids.ts';
import type { CallIds } from '../../reading/id-book.ts';
import { valueText } from '../../words/values.ts';
import { isCallBlock } from './calls.ts';
import { change, fieldsOf, speakerOf, type LangChainMessage } from './message.ts';

/** The same messages with an id in every call and every result; those that had them are the same objects. */
export function withIds(
  messages: readonly LangChainMessage[],
  policy: IdPolicy,
  keepsNames: boolean = policy === 'keep',
): readonly LangChainMessage[] {
  const book = createIdBook(anyId, policy);
  const name: Rename = keepsNames ? (own) => own : legalName;
  let wasReply = false;
  return messages.map((message) => {
    const isReply = speakerOf(message) === 'ai';
    if (isReply) book.beginReply(wasReply);
    wasReply = isReply;
    return withNames(message, book, name, true);
  });
}

/** The message with the ids that a book says; what could not be parsed is not sent, and is no call. */
export function named(message: LangChainMessage, book: CallIds): LangChainMessage {
  return withNames(message, book, (own) => own, false);
}

function withNames(message: LangChainMessage, book: CallIds, rename: Rename, hasInvalid: boolean): LangChainMessage {
  const speaker = speakerOf(message);
  if (speaker !== 'ai' && speaker !== 'tool') return message;
  const own = fieldsOf(message);
  const changes = speaker === 'ai' ? replyChanges(own, book, rename, hasInvalid) : resultChanges(own, book, rename);
  return Object.keys(changes).length === 0 ? message : change(message, changes);
}

type Changes = Record<string, unknown>;
type Rename = (name: string) => string;

function resultChanges(message: object, book: CallIds, rename: Rename): Changes {
  const given = textIn(field(message, 'tool_call_id'));
  const name = textIn(field(message, 'name'));
  const id = book.result(given, name);
  const legal = name === undefined ? undefined : rename(name);
  return {
    ...(id === undefined || id === given ? {} : { tool_call_id: id }),
    ...(legal === name ? {} : { name: legal }),
  };
}

function replyChanges(message: object, book: CallIds, rename: Rename, hasInvalid: boolean): Changes {
  const changes: Changes = {};
  const more = field(message, 'additional_kwargs');
  const raw = isRecord(more) ? field(more, 'tool_calls') : undefined;
  const listed = field(message, 'tool_calls');
  const isListed = recordsIn(listed).length > 0;
  /** The calls that other places repeat. */
  const calls = new Named();
  const open = (entry: object): object => renamed(entry, bookCall(entry), rename);
  if (isListed) put('tool_calls', listed, open);
  else if (isRecord(more) && Array.isArray(raw)) {
    const made = raw.map((entry: unknown) => (isRecord(entry) ? open(entry) : entry));
    if (made.some((entry, i) => entry !== raw[i])) changes['additional_kwargs'] = { ...more, tool_calls: made };
  }
  const inChunks = calls.reader();
  put('tool_call_chunks', field(message, 'tool_call_chunks'), (chunk) => {
    // Only the first chunk of a call says whose it is.
    const isFirst = nameOf(chunk) !== undefined || textIn(field(chunk, 'id')) !== undefined;
    return isFirst ? renamed(chunk, inChunks(textIn(field(chunk, 'id'))), rename) : chunk;
  });
  const content = field(message, 'content');
  const inContent = calls.reader();
  // A block without an id repeats the next of those in the list that no block names.
  const named = new Set(recordsIn(content).map((block) => field(block, 'id')));
  const bare = recordsIn(listed).filter((entry) => !named.has(field(entry, 'id')) && nameOf(entry) !== undefined);
  const inBare = calls.reader();
  put('content', content, (block) => {
    if (!isCallBlock(block)) return block;
    const given = textIn(field(block, 'id'));
    const listedAs = given === undefined ? bare.shift() : undefined;
    const id = listedAs === undefined ? inContent(given) : inBare(textIn(field(listedAs, 'id')));
    return id === undefined ? open(block) : renamed(block, id, rename);
  });
  const about = field(message, 'response_metadata');
  if (isRecord(about)) {
    const inItems = calls.reader();
    const made = recordsIn(field(about, 'output')).map((item) => {
      const id = inItems(textIn(field(item, 'call_id')));
      return id === undefined ? item : renamed(item, id, rename, 'call_id');
    });
    if (!isSameList(made, recordsIn(field(about, 'output')))) changes['response_metadata'] = { ...about, output: made };
  }
  // What is invalid has no place among those that a provider sends: only an id tells that it is one of them.
  const inInvalid = calls.reader();
  put('invalid_tool_calls', field(message, 'invalid_tool_calls'), (entry) => {
    const given = textIn(field(entry, 'id'));
    return given === undefined
      ? open(entry)
      : renamed(entry, inInvalid(given) ?? (hasInvalid ? bookCall(entry) : undefined), rename);
  });
  if (isListed && Array.isArray(raw) && 'tool_calls' in changes) {
    changes['additional_kwargs'] = without(more as object, 'tool_calls');
  }
  return changes;

  function bookCall(entry: object): string | undefined {
    const given = textIn(field(entry, 'id'));
    const name = nameOf(entry);
    if (name === undefined) return undefined;
    return calls.add(
      given,
      book.call(given, name, () => valueText(inputOf(entry))),
    );
  }

  function put(place: string, list: unknown, give: (entry: object) => object): void {
    if (!Array.isArray(list)) return;
    const made = list.map((entry: unknown) => (isRecord(entry) ? give(entry) : entry));
    if (made.some((entry, i) => entry !== list[i])) changes[place] = made;
  }
}

/** The entry with this id, and with a name that every provider takes; the same object if it has them. */
function renamed(entry: object, id: string | undefined, rename: Rename, place = 'id'): object {
  const body = field(entry, 'function');
  const given = nameOf(entry);
  const name = given === undefined ? undefined : rename(given);
  const isSame = (id === undefined || id === field(entry, place)) && name === given;
  if (isSame) return entry;
  const own = id === undefined ? entry : { ...entry, [place]: id };
  if (name === given) return own;
  return isRecord(body) ? { ...own, function: { ...body, name } } : { ...own, name };
}

function nameOf(entry: object): string | undefined {
  const body = field(entry, 'function');
  return textIn(field(isRecord(body) ? body : entry, 'name'));
}

function inputOf(entry: object): unknown {
  const body = field(entry, 'function');
  return field(entry, 'args') ?? field(entry, 'input') ?? (isRecord(body) ? field(body, 'arguments') : undefined);
}
