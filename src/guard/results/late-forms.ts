/**
 * Values whose framework asks the tool for what the model reads of them: the program gets the value, and the note of one that came
 * after the stop of its call is in that form.
 *
 * Prior art: `toModelOutput` of the AI SDK, which Mastra has as well.
 *
 * @module
 */
import { isObject, isThenable } from '../../core/foundation/check.ts';
import { fieldsOf } from '../../core/interrupt/calls/call-identity.ts';
import { noted } from './late-values.ts';
import { isPlain, withMethod, type Method } from '../shapes.ts';

interface Late {
  readonly id: unknown;
  readonly value: unknown;
  readonly note: string;
}

/** How many are remembered: a form is asked for at once, and may be again. */
const limit = 1000;

/** The late values of the tools of one guard. */
export class LateForms {
  /** The newest first. */
  readonly #late: Late[] = [];

  /** Keeps a note for the form of a value, if the framework of its call will ask for that. */
  keep(tool: object, args: readonly unknown[], value: unknown, note: string): boolean {
    if (!canShow(tool)) return false;
    // A text that the tool has no form for is told in words.
    if (typeof fieldsOf(tool)['toModelOutput'] !== 'function' && !isObject(value)) return false;
    const options = fieldsOf(args[1]);
    // What Mastra calls its tools with is a context of its own.
    if (isPlain(tool) && !('messages' in options)) return false;
    this.#late.unshift({ id: options['toolCallId'], value, note });
    if (this.#late.length > limit) this.#late.pop();
    return true;
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
      // Mastra gives the value alone.
      const isNamed = isObject(given) && 'toolCallId' in given && 'output' in given;
      const { toolCallId: id, output: value } = isNamed ? given : { output: given };
      const form =
        typeof own === 'function' ? (Reflect.apply(own, tool, [given, ...rest]) as unknown) : plainForm(value);
      const late = this.#late.find((each) => Object.is(each.value, value) && (!isNamed || each.id === id));
      if (late === undefined) return form;
      return isThenable(form)
        ? Promise.resolve(form).then((made) => withNote(made, late.note))
        : withNote(form, late.note);
    };
    return withMethod(tool, 'toModelOutput', show);
  }
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
    const text = JSON.stringify(value) as string | undefined;
    return { ...fieldsOf(form), type: type === 'json' ? 'text' : 'error-text', value: noted(text ?? '', note) };
  }
  if (type !== 'content' || !Array.isArray(value)) return form;
  return { ...fieldsOf(form), value: [...(value as unknown[]), { type: 'text', text: note }] };
}
