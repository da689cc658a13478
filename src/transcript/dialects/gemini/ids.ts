/**
 * The ids and names of calls and responses as the Gemini API takes them. An id may be any text there, and is often left
 * out.
 * Before everything else, so that the rest can trust that a call and its response have one name.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import { field, isSameList } from '../../reading/fields.ts';
import { legalName } from '../../reading/ids.ts';
import { valueText } from '../../words/values.ts';
import { callOf, nameOf, partsOf, responseOf, type GeminiContent } from './content.ts';

/** The same contents with ids and names that the API takes; those that had them are the same objects. */
export function withNames(
  contents: readonly GeminiContent[],
  policy: IdPolicy,
  keepsNames = false,
): readonly GeminiContent[] {
  if (policy === 'keep') return contents;
  return contents.map((content) => {
    const parts = partsOf(content);
    const made = parts.map((part) => partWithName(part, keepsNames));
    return isSameList(made, parts) ? content : { ...content, parts: made };
  });
}

/** A name as the API takes it; it refuses one that begins with a digit or a dash. */
export function geminiName(name: string): string {
  if (/^[a-zA-Z_][\w.:-]{0,63}$/.test(name)) return name;
  const legal = legalName(name);
  return /^[a-zA-Z_]/.test(legal) ? legal : `_${legal}`.slice(0, 64);
}

function partWithName(part: object, keepsNames: boolean): object {
  const call = callOf(part);
  const body = call ?? responseOf(part);
  const name = body === undefined ? undefined : nameOf(body);
  if (body === undefined || name === undefined) return part;
  const id = field(body, 'id') ?? undefined;
  const isText = id === undefined || typeof id === 'string';
  const legal = keepsNames ? name : geminiName(name);
  if (legal === name && isText) return part;
  const named = { ...body, name: legal, ...(isText ? {} : { id: valueText(id) }) };
  return { ...part, [call === undefined ? 'functionResponse' : 'functionCall']: named };
}
