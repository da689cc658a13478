/**
 * Arguments that Gemini streams as values by their JSON paths, put together as one JSON text, which grows by what comes:
 * what has come is its beginning at any moment.
 *
 * @module
 */
import { piecesIn, textIn } from './fold.ts';

type Step = string | number;

/** A step of a JSON path (RFC 9535): a name after a point or in quotes, or an index. */
const step = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g;

/** Builds the text; values come in the order in which the text has them. */
export class StreamedArguments {
  #path: readonly Step[] = [];
  #isInText = false;
  /** The text as far as it has come. */
  json = '';

  /** Takes in `partialArgs`. */
  add(values: readonly object[] | undefined): void {
    for (const value of piecesIn(values)) this.#addOne(value as Readonly<Record<string, unknown>>);
  }

  /** The arguments, if this is all of them; `undefined` if they are no JSON text. */
  end(): object | undefined {
    const all = this.json === '' ? '{}' : this.json + this.#closing(0);
    try {
      return JSON.parse(all) as object;
    } catch {
      return undefined;
    }
  }

  #addOne({ jsonPath, stringValue, numberValue, boolValue, willContinue }: Readonly<Record<string, unknown>>): void {
    const path = stepsOf(textIn(jsonPath));
    if (path.length === 0) return;
    const goesOn = this.#isInText && path.length === this.#path.length && shared(path, this.#path) === path.length;
    if (!goesOn) this.#moveTo(path);
    if (typeof stringValue === 'string') {
      this.json += (goesOn ? '' : '"') + JSON.stringify(stringValue).slice(1, -1);
      this.#isInText = true;
    } else if (!goesOn) this.json += JSON.stringify(numberValue ?? boolValue ?? null);
    if (this.#isInText && willContinue !== true) {
      this.json += '"';
      this.#isInText = false;
    }
  }

  /** Closes what the path has left, and opens what it enters. */
  #moveTo(path: readonly Step[]): void {
    const from = Math.min(shared(path, this.#path), path.length - 1, Math.max(0, this.#path.length - 1));
    this.json += this.json === '' ? '{' : `${this.#closing(from + 1)},`;
    this.#path = path;
    this.#isInText = false;
    for (const [at, one] of path.entries()) {
      if (at < from) continue;
      if (at > from) this.json += typeof one === 'number' ? '[' : '{';
      if (typeof one === 'string') this.json += `${JSON.stringify(one)}:`;
    }
  }

  /** What closes the text, down to the container at this depth. */
  #closing(depth: number): string {
    const ends = this.#path.map((one) => (typeof one === 'number' ? ']' : '}')).slice(depth);
    return (this.#isInText ? '"' : '') + ends.reverse().join('');
  }
}

function stepsOf(path: string): Step[] {
  return [...path.matchAll(step)].map(([, name, index, single, double]) =>
    index === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(index),
  );
}

/** How many steps two paths share from their beginning. */
function shared(a: readonly Step[], b: readonly Step[]): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}
