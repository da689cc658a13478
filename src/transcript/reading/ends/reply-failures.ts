/**
 * What of a model's replies fails a turn: that the provider failed, and that nothing comes of asking again.
 *
 * @module
 */
import type { ReplyEnd } from '../../../core/foundation/reply-end.ts';
import type { DialectRules } from '../../dialects/rules.ts';
import { field, isRecord, recordsIn, textIn } from '../fields.ts';
import { endOf } from '../reply-in.ts';

/**
 * Refuses a reply that says of itself that it failed, or that the provider works at it still.
 *
 * @throws Error – it failed; its `cause` is what the provider said of that, where it did. TypeError – it has yet to come.
 */
export function requireEnd<M>(rules: Pick<DialectRules<M>, 'ended'>, reply: unknown): void {
  const end = endOf(rules, reply);
  if (!isRecord(reply) || (end !== 'failed' && end !== 'unfinished')) return;
  const status = textIn(field(reply, 'status')) ?? textIn(field(reply, 'stopReason')) ?? 'failed';
  if (end === 'failed') {
    const [choice = {}] = recordsIn(field(reply, 'choices'));
    const cause = field(reply, 'error') ?? field(choice, 'error') ?? field(reply, 'promptFeedback') ?? undefined;
    const names = ['code', 'message', 'blockReason', 'blockReasonMessage'];
    const said = isRecord(cause) ? names.map((name) => field(cause, name)) : [cause];
    throw new Error(['the provider ended the reply', status, ...said].filter(isSaid).join(': '), { cause });
  }
  // What a fold has of a stream that ended early is a reply that was cut.
  if (field(reply, 'isComplete') === undefined)
    throw new TypeError(
      `reply must have ended, got one that is ${status}: wait for its end, as desist/remote-run does`,
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
