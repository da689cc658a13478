/**
 * What servers say in a delta besides what their API names: thoughts, seals, annotations. It is wanted back, so it is put
 * together here without being understood.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import { textIn } from './fold.ts';

type Fields = Record<string, unknown>;

/** What is said again rather than gone on with. */
const names = /^(?:id|type|role|name|format)$|_id$/;

/** The objects whose own texts grow; of any other the last one counts. */
const grown = new Set(['audio', 'function_call']);

const none: ReadonlySet<string> = new Set();

/** Adds a delta to what has come: texts and lists grow, of anything else the last word counts, and `null` is none. */
export function mergeFields(held: Fields, delta: object, except: ReadonlySet<string> = none): void {
  for (const name of Object.keys(delta)) {
    const piece = (delta as Fields)[name];
    if (piece !== null && piece !== undefined && !except.has(name)) held[name] = merged(name, held[name], piece);
  }
}

function merged(name: string, held: unknown, piece: unknown): unknown {
  if (typeof held === 'string' && typeof piece === 'string' && !names.test(name)) return held + piece;
  if (Array.isArray(held) && Array.isArray(piece)) return mergedList(held as unknown[], piece as unknown[]);
  return grown.has(name) && isObject(held) && isObject(piece) ? mergedObject(held, piece) : piece;
}

function mergedObject(held: object, piece: object): object {
  const copy = { ...held };
  mergeFields(copy, piece);
  return copy;
}

/** A piece goes on with the last one, or is one more. */
function mergedList(held: readonly unknown[], pieces: readonly unknown[]): unknown[] {
  const list = [...held];
  for (const piece of pieces) {
    const last = list.at(-1);
    if (isObject(last) && isObject(piece) && goesOn(last as Fields, piece as Fields)) {
      list[list.length - 1] = mergedObject(last, piece);
    } else list.push(piece);
  }
  return list;
}

/** Whether it is a piece of the same thought: it has the same number, or no number and more of the same text. */
function goesOn(last: Fields, piece: Fields): boolean {
  if (last['type'] !== piece['type'] || last['index'] !== piece['index'] || textIn(last['signature']) !== '')
    return false;
  const isText = (name: string): boolean => typeof last[name] === 'string' && typeof piece[name] === 'string';
  return last['index'] !== undefined || isText('text') || isText('thinking');
}
