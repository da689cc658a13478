/**
 * Whether a transcript was settled with a report before its last prompt was pushed.
 * Above the dialects: it asks them to settle what stands before that prompt, and looks whether anything is missing there.
 *
 * @module
 */
import type { TranscriptCall } from './dialect.ts';
import type { DialectRules, Note, TurnRecord } from './dialects/rules.ts';
import { isComplete } from './reading/partials.ts';
import type { TurnReader } from './reading/turns.ts';
import { holdsWords } from './words/values.ts';

/**
 * Whether all that a turn left behind stands before the last prompt already, and can be told to be of the turn before it:
 * then that prompt is a newer one, and nothing goes behind it. A cut reply is known by the words that say so, by its
 * calls, or by being whole; one without any may as well be of the turn that the prompt began.
 */
export function isTold<M>(messages: readonly M[], turn: TurnRecord, rules: DialectRules<M>): boolean {
  const last = turn.partials.at(-1);
  if (last === undefined || turn.turnStart !== undefined || turn.held !== undefined) return false;
  const { head, tail } = parted(messages, rules.turns);
  if (head.length === 0) return false;
  // A turn that has had as many replies was not cut in that one.
  const replies = tail.filter((message) => rules.turns.isReply(message)).length;
  if (tail.some((message) => !rules.turns.isPrompt(message)) && replies < last.modelCall) return false;
  const words = turn.words(last.reason.kind, 'cut');
  // One that had come to its end has no such words: there it is enough that the same reply stands directly before.
  const isMarked =
    isComplete(last.value) || head.slice(-turn.partials.length).some((message) => holdsWords(message, words));
  const calls = rules.callsIn(rules.repliesIn(last.value) ?? []);
  const ends = head.slice(-turn.partials.length - calls.length);
  // The same call may have been made before, and have run.
  const isKnown = ({ id, name }: TranscriptCall): boolean =>
    ends.some((message) => holdsWords(message, turn.words(last.reason.kind, 'not-started', name))) ||
    turn.outcomes.some((row) => row.id === id);
  if (!isMarked && !calls.some(isKnown)) return false;
  const notes: Parameters<Note>[] = [];
  const settled = rules.settle(head, { ...turn, note: (...note) => notes.push(note) }).messages;
  if (settled.length !== head.length || settled.some((message, at) => message !== head[at])) return false;
  for (const [at, rule, what] of notes) if (rule === 'partial-unread') turn.note(at, rule, what);
  return true;
}

/** A transcript in two: what came before the last prompt, or before those that stand together last, and the rest. */
function parted<M>(messages: readonly M[], turns: TurnReader<M>): { head: readonly M[]; tail: readonly M[] } {
  let at = messages.length;
  while (at > 0 && !turns.isPrompt(messages[at - 1] as M)) at -= 1;
  let split: ReturnType<TurnReader<M>['split']>;
  while (at > 0 && split === undefined && turns.isPrompt(messages[at - 1] as M)) {
    at -= 1;
    split = turns.split(messages[at] as M);
  }
  const head = messages.slice(0, at);
  return { head: split === undefined ? head : [...head, split.answers], tail: messages.slice(at) };
}
