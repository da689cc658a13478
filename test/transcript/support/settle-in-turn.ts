/** Settles as a conversation does it in the middle of a turn, in which the provider may go on with what it had begun. */
import { formatRulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import type { SettleOptions } from '../../../src/transcript/dialects/rules.ts';
import type { MessageFormat } from '../../../src/transcript/index.ts';
import { isSameList } from '../../../src/transcript/reading/fields.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

export function settleInTurn<M>(
  dialect: MessageFormat<M>,
  messages: readonly M[],
  outcomeOf?: SettleOptions['outcomeOf'],
) {
  const rules = formatRulesOf({ dialect });
  const settled = rules.settle(messages, {
    isOver: false,
    reason: undefined,
    words: createWords(undefined),
    ids: 'normalise',
    outcomeOf,
  });
  const isSame = isSameList(settled.messages, messages);
  const changes = isSame ? [] : dialect.check(messages).map(({ rule }) => rule);
  return { messages: settled.messages, changes };
}
