/**
 * What of a model's replies fails a turn: that the provider failed, and that nothing comes of asking again.
 *
 * @module
 */
import { replyEnd, type ReplyEnd } from '../../../core/foundation/reply-end.ts';
import { field, isRecord } from '../fields.ts';
import { endOf, failureOf, type EndRules } from '../reply-in.ts';

/**
 * Refuses a reply that says of itself that it failed, or that the provider works at it still.
 *
 * @throws Error – it failed; its `cause` is what the provider said of that, where it did. TypeError – it has yet to come.
 */
export function requireEnd<M>(rules: EndRules<M>, reply: unknown): void {
  const end = endOf(rules, reply);
  if (!isRecord(reply) || (end !== 'failed' && end !== 'unfinished')) return;
  const status =
    ['status', 'stopReason'].map((name) => field(reply, name)).find((word) => replyEnd(word) === end) ?? end;
  if (end === 'failed') {
    const cause = failureOf(rules, reply);
    const names = ['code', 'message', 'blockReason', 'blockReasonMessage'];
    const said = isRecord(cause) ? names.map((name) => field(cause, name)) : [cause];
    throw new Error(['the provider ended the reply', status, ...said].filter(isSaid).join(': '), { cause });
  }
  // What a fold has of a stream that ended early is a reply that was cut.
  if (field(reply, 'isComplete') === undefined)
    throw new TypeError(
      `reply must have ended, got one that is ${status as string}: wait for its end, as desist/remote-run does`,
    );
}

function isSaid(word: unknown): boolean {
  return (typeof word === 'string' && word !== '') || typeof word === 'number';
}

/** The error of a second reply in a row that ended inside a call. */
export function endedTwice(end: ReplyEnd): Error {
  if (end === 'limit') {
    return new RangeError(
      'the model reached its output limit in the middle of a call twice in a row: raise max_tokens, or what it is called here',
    );
  }
  const why = end === 'refused' ? 'a filter or a refusal of the provider' : 'the provider, without saying why,';
  return new Error(`${why} ended the reply in the middle of a call twice in a row`);
}
