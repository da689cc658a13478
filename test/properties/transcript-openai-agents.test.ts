import { openaiAgents, type OpenAIAgentsItem } from '../../src/transcript/dialects/openai-agents/index.ts';
import { cut, ids, partialValue, wild } from '../transcript/support/agents-histories.ts';
import { marksIn } from '../transcript/support/arbitraries.ts';
import { alwaysSendable } from '../transcript/support/properties.ts';

/** Without the second copies: an item that stands there twice, under one id, is one item. */
function uniqueItems(items: readonly OpenAIAgentsItem[]): readonly OpenAIAgentsItem[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const json = JSON.stringify(item);
    const isCopy = seen.has(json) && 'id' in item;
    seen.add(json);
    return !isCopy;
  });
}

alwaysSendable({
  dialect: openaiAgents,
  ids,
  wild,
  cut,
  partialValue,
  marksOf: (items) => marksIn(uniqueItems(items)),
  // Reasoning that led to nothing.
  lost: (items) => (items.at(-1)?.type === 'reasoning' ? marksIn(items.at(-1)) : []),
});
