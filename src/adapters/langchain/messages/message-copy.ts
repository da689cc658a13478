/**
 * A message of LangChain with other fields. It belongs to others too, and may be an instance of a class that is not here, so
 * it is never changed itself.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';

/** A copy of the same class, with these fields in the place of its own. */
export function copyWith(message: object, fields: Readonly<Record<string, unknown>>): object {
  const { lc_kwargs: kwargs } = message as { readonly lc_kwargs?: unknown };
  // LangChain writes a message down by the names in here.
  const written = isObject(kwargs) ? { lc_kwargs: { ...kwargs, ...fields } } : {};
  // Property by property, because LangChain computes some of them at the first read.
  const properties = Object.getOwnPropertyDescriptors(message) as Record<string, PropertyDescriptor>;
  for (const [name, value] of Object.entries({ ...fields, ...written })) {
    properties[name] = { value, writable: true, enumerable: true, configurable: true };
  }
  return Object.create(Object.getPrototypeOf(message) as object | null, properties) as object;
}
