/**
 * What a conversation may be told when it is made.
 *
 * @module
 */
import { optionalFlag, requireOptions, type OptionNames } from '../../core/foundation/check.ts';
import { requireRender } from '../dialects/requirements.ts';
import type { DialectRules } from '../dialects/rules.ts';
import type { Render } from '../words/values.ts';
import type { Wording } from '../words/wording.ts';

/**
 * Options of {@link Conversation}.
 *
 * @since 0.1.0
 */
export interface ConversationOptions<M> {
  /** What was stored; it is repaired once. */
  readonly messages?: readonly M[] | undefined;
  /**
   * Whether the calls at the end of `messages` that have no result wait for somebody, and stay open: a framework will run
   * them once a person has allowed it. Without it the model is told that they may have run.
   */
  readonly waits?: boolean | undefined;
  /** Other words for the model, for every cell or for some. */
  readonly wording?: Wording | undefined;
  /** What the result of a call says, by its row; `undefined` keeps ours. */
  readonly render?: Render | undefined;
}

const optionNames: OptionNames<ConversationOptions<object>> = { messages: 1, waits: 1, wording: 1, render: 1 };

/** Refuses what is no option, or none of this dialect. Returns whether calls wait. */
export function requireConversationOptions<M>(
  options: ConversationOptions<M>,
  { name, loops }: Pick<DialectRules<M>, 'name' | 'loops'>,
): boolean {
  requireOptions(options, optionNames);
  requireRender('options.render', options.render);
  const waits = optionalFlag('options.waits', options.waits);
  if (!waits || loops !== undefined) return waits;
  throw new TypeError(`options.waits is for the dialects of frameworks: nobody runs what waits in ${name}`);
}
