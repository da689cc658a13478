/** One way to run a model under a turn, as the matrix of scenarios sees it: a framework, a provider, a shape, streamed or not. */
import type { Turn, TurnReport } from '../../../../src/index.ts';
import type { Conversation } from '../../../../src/transcript/index.ts';
import type { ModelAnswer, ReplyPacing } from '../../../../src/testing/model-server/index.ts';
import type { Framework } from '../frameworks/framework.ts';

export interface Way {
  readonly name: string;
  /** Whether the loop is asked for a stream. */
  readonly stream: boolean;
  /** Whether the model's words come one by one, so that what had come of a cut answer is known. */
  readonly hasWords: boolean;
  /** Why it calls no tools, if it does not: the scenarios about tools are left out. */
  readonly noTools?: string;
  readonly run: Framework['run'];
  /** A last answer with these words. */
  says(words: string, pacing?: ReplyPacing): ModelAnswer;
  /** Words that came of such an answer, as a report keeps them. */
  kept(words: string): string;
  /** A conversation that takes what the loop comes to; without one the loop runs under a turn of the agent. */
  readonly chat?: () => Conversation<object>;
  /** Asks the same provider again, with all that is known of the turn. */
  goOn(turn: Turn, report: TurnReport<unknown>, baseURL: string, chat?: Conversation<object>): Promise<unknown>;
}

/** A way whose last answer is plain text. */
export const inWords: Pick<Way, 'says' | 'kept'> = {
  says: (text, pacing = {}) => ({ text, ...pacing }),
  kept: (words) => words,
};

/** A way whose last answer is an object with one text in it, as text of the provider's or as the arguments of a call. */
export function inObjects(by: 'text' | 'call'): Pick<Way, 'says' | 'kept'> {
  return {
    says: (text, pacing = {}) =>
      by === 'call'
        ? { toolCalls: [{ name: 'out', input: { text } }], ...pacing }
        : { text: JSON.stringify({ text }), ...pacing },
    kept: (words) => (words === '' ? '' : `{"text":"${words}`),
  };
}
