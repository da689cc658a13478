/**
 * Which calls and models are a turn's already: put under it a second time, a call is still one.
 * Prior art: the symbols by which libraries know what they have wrapped.
 *
 * @module
 */
import { isObject, type Turn } from '../../../core/inside.ts';

const marks = new WeakMap<Turn, symbol>();

/** What says, as a field, that something is a turn's; views and copies of an object have it too. */
export function markOf(turn: Turn): symbol {
  const known = marks.get(turn);
  if (known !== undefined) return known;
  const mark = Symbol('turn');
  marks.set(turn, mark);
  return mark;
}

/** Whether a model, or what one is asked, is a turn's already. */
export function isMarked(value: unknown, turn: Turn): boolean {
  return isObject(value) && Reflect.get(value, markOf(turn)) === true;
}
