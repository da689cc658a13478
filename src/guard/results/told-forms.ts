/**
 * Results whose framework asks the tool for what the model reads of them: the program gets the result, and the form is the words that
 * stand for it, or has the note of a value that came after the stop of its call.
 *
 * Prior art: `toModelOutput` of the AI SDK, which Mastra has as well.
 *
 * @module
 */
import { isObject, isThenable } from '../../core/foundation/check.ts';
import { fieldsOf } from '../../core/interrupt/calls/call-identity.ts';
import { noted } from './late-values.ts';
import { isPlain, plainCopy, withMethod, type Method } from '../shapes.ts';

/** What is told of the result of a call: words in its place, or the form of its value with a note. */
type Told = { readonly words: string } | { readonly value: unknown; readonly note: string };

/** How many are kept: a form is asked for at once, and may be again. */
const limit = 1000;

/** What is told of the calls of the tools of one guard. */
export class ToldForms {
  /** By what the program has got, which no other call gives: ids come again, and so do values. The oldest first. */
  readonly #told = new Map<unknown, Told>();

  /** Keeps what is told of a result. */
  keep(result: unknown, told: Told): void {
    this.#told.delete(result);
    this.#told.set(result, told);
    for (const oldest of [...this.#told.keys()].slice(0, -limit)) this.#told.delete(oldest);
  }

  /** {@link around} each of a record. */
  aroundAll(tools: object): object {
    const entries = Object.entries(tools) as [string, unknown][];
    return Object.fromEntries(entries.map(([name, tool]) => [name, isObject(tool) ? this.around(tool) : tool]));
  }

  /** The tool, whose forms have the note. */
  around<T extends object>(tool: T): T {
    if (!canShow(tool)) return tool;
    const { toModelOutput: own } = fieldsOf(tool);
    const show: Method = (given, ...rest) => {
      // Mastra gives the result alone.
      const isNamed = isObject(given) && 'toolCallId' in given && 'output' in given;
      const result = isNamed ? given.output : given;
      const told = this.#told.get(result);
      if (told !== undefined && 'words' in told) return { type: 'text', value: told.words };
      const output = told === undefined ? result : told.value;
      const asked = isNamed ? { ...given, output } : output;
      const form =
        typeof own === 'function' ? (Reflect.apply(own, tool, [asked, ...rest]) as unknown) : plainForm(output);
      if (told === undefined) return form;
      const { note } = told;
      return isThenable(form) ? Promise.resolve(form).then((made) => withNote(made, note)) : withNote(form, note);
    };
    return withMethod(tool, 'toModelOutput', show);
  }
}

/** The same value, and no other call's, where it is data; what has a class is what it is. */
export function ownOf(value: object): object {
  if (Array.isArray(value)) return [...(value as unknown[])];
  return isPlain(value) ? plainCopy(value, new Map()) : value;
}

/** Whether the framework of a call will ask its tool for the form of its value. */
export function isShown(tool: object, args: readonly unknown[], value: unknown): boolean {
  if (!canShow(tool)) return false;
  // A text that the tool has no form for is told in words.
  if (typeof fieldsOf(tool)['toModelOutput'] !== 'function' && !isObject(value)) return false;
  // What Mastra calls its tools with is a context of its own.
  return !isPlain(tool) || 'messages' in fieldsOf(args[1]);
}

/** Whether it is of a kind whose framework asks for a form. */
function canShow(tool: object): boolean {
  if (typeof fieldsOf(tool)['execute'] !== 'function') return false;
  return 'toModelOutput' in tool || (isPlain(tool) && 'inputSchema' in tool);
}

/** What the SDK makes of a value by itself. */
function plainForm(value: unknown): object {
  if (typeof value === 'string') return { type: 'text', value };
  return { type: 'json', value: value === undefined ? null : value };
}

function withNote(form: unknown, note: string): unknown {
  const { type, value } = fieldsOf(form);
  if (type === 'text' || type === 'error-text') return { ...fieldsOf(form), value: noted(String(value), note) };
  if (type === 'json' || type === 'error-json') {
    const json = JSON.stringify(value) as string | undefined;
    return { ...fieldsOf(form), type: type === 'json' ? 'text' : 'error-text', value: noted(json ?? '', note) };
  }
  if (type !== 'content' || !Array.isArray(value)) return form;
  return { ...fieldsOf(form), value: [...(value as unknown[]), { type: 'text', text: note }] };
}
