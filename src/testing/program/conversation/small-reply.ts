/**
 * A short reply to a request that nobody has a script for: a title, the choice of a model, a first acquaintance. Who asks for JSON gets it,
 * for a program that is answered something else asks again instead of going on.
 *
 * @module
 */
import type { ModelRequest } from '../../model-server/request-record.ts';
import { isFields, type Fields } from '../../model-server/transcript-rules/fields.ts';

/** The value at a path of fields. */
const at = (body: Fields, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), body);

/** Where the protocols say in which schema an answer is to be. */
const schemaPaths: readonly (readonly string[])[] = [
  ['generationConfig', 'responseJsonSchema'],
  ['generationConfig', 'responseSchema'],
  ['response_format', 'json_schema', 'schema'],
  ['text', 'format', 'schema'],
  ['output_config', 'format', 'schema'],
  ['output_format', 'schema'],
  ['format'],
];

/** How deep a schema is followed. */
const DEEPEST = 8;

/** A value of a schema, as small as it may be. */
function sampleOf(schema: unknown, depth = 0): unknown {
  if (!isFields(schema) || depth > DEEPEST) return 'check';
  if (Array.isArray(schema['enum']) && schema['enum'].length > 0) return schema['enum'][0] as unknown;
  const [type] = [schema['type']].flat();
  switch (typeof type === 'string' ? type.toLowerCase() : 'object') {
    case 'object': {
      const properties = isFields(schema['properties']) ? schema['properties'] : {};
      return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sampleOf(one, depth + 1)]));
    }
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 'check';
  }
}

const schemaOf = ({ body }: Pick<ModelRequest, 'body'>): Fields | undefined =>
  schemaPaths.map((path) => at(body, ...path)).find(isFields);

/** Where the protocols say that an answer is to be JSON of any form, and what stands there. */
const jsonPaths: readonly (readonly [path: readonly string[], value: string])[] = [
  [['generationConfig', 'responseMimeType'], 'application/json'],
  [['response_format', 'type'], 'json_object'],
  [['text', 'format', 'type'], 'json_object'],
  [['format'], 'json'],
];

/** Whether a request wants JSON for an answer. */
export const asksForJSON = (request: Pick<ModelRequest, 'body'>): boolean =>
  schemaOf(request) !== undefined || jsonPaths.some(([path, value]) => at(request.body, ...path) === value);

/**
 * Answers in the form that is asked for.
 *
 * @param words The answer to who asks for no form.
 */
export function smallReply(request: Pick<ModelRequest, 'body'>, words: string): string {
  const schema = schemaOf(request);
  return schema === undefined ? words : JSON.stringify(sampleOf(schema));
}
