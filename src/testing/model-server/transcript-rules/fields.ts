/**
 * Reading bodies that may hold anything.
 *
 * @module
 */

/** An object of a request. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; none if it is no list. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Those of one type. */
export function ofType(blocks: readonly Fields[], type: string): readonly Fields[] {
  return blocks.filter((block) => block['type'] === type);
}

/**
 * Why the APIs of OpenAI refuse a content: no call and no result is a part of one. Of other parts servers that speak their
 * dialects take more than they do.
 */
export function refuseForeignPart(content: unknown, where: string): string | undefined {
  const types = listOf(content).map(({ type }) => String(type));
  const at = types.findIndex((type) => /^tool(?:[-_](?:call|result)|_use)$/.test(type));
  return at === -1 ? undefined : `Invalid value: '${String(types[at])}' for '${where}.content[${String(at)}].type'.`;
}

/** Whether a text says nothing. */
export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

/** Whether a value is the text of a JSON value. */
export function isJSON(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where half of a character stands in a body, which strict readers of JSON refuse. */
export function placeOfHalf(body: Fields): number | undefined {
  const json = JSON.stringify(body);
  const place = json.search(/(?<!\\)(?:\\\\)*\\ud[89a-f]/);
  return place === -1 ? undefined : place;
}

/** What the providers take for the name of a tool, and Anthropic for an id. */
export const plain: RegExp = /^[a-zA-Z0-9_-]+$/;

/**
 * Why OpenAI's APIs would refuse the id or the name of a call.
 *
 * @param where Its place in the request.
 * @returns The message, or `undefined` if they would take both.
 */
export function refuseNames(
  where: { readonly id: string; readonly name: string },
  { id, name }: { readonly id: unknown; readonly name: unknown },
  longestId: number,
): string | undefined {
  if (typeof id === 'string' && id.length > longestId) {
    return (
      `Invalid '${where.id}': string too long. Expected a string with maximum length ${String(longestId)}, ` +
      `but got a string with length ${String(id.length)} instead.`
    );
  }
  if (typeof name === 'string' && !plain.test(name)) {
    return `Invalid '${where.name}': string does not match pattern. Expected a string that matches the pattern '${plain.source}'.`;
  }
  return undefined;
}
