/**
 * Tells a conversation of each call that the SDK begins: one that a person allowed in an earlier turn runs before any model is
 * asked.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import { replaceMethods } from '../../../guard/shapes.ts';

/** The same tools; `began` is called with the id of each call, just before it. */
export function tellingBegun(tools: object, began: (id: string) => void): object {
  const made = Object.entries(tools).map(([name, tool]: [string, unknown]) => {
    const own =
      isObject(tool) &&
      replaceMethods(tool, {
        execute: (execute, args, self) => {
          const { toolCallId } = (isObject(args[1]) ? args[1] : {}) as { readonly toolCallId?: unknown };
          if (typeof toolCallId === 'string') began(toolCallId);
          return Reflect.apply(execute, self, args);
        },
      });
    return [name, own || tool] as const;
  });
  return Object.fromEntries(made);
}
