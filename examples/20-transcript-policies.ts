/**
 * What an interrupted turn leaves: everything, everything and a mark that it was interrupted, or nothing – then the person
 * gets the prompt back. Whatever the application decides, the conversation can be sent.
 */
import { InterruptController } from 'desist';
import { Conversation } from 'desist/transcript';
import { openaiResponses, type OpenAIResponsesItem } from 'desist/transcript/openai-responses';

type Item = OpenAIResponsesItem & { readonly content?: unknown };

const push = { type: 'function_call', call_id: 'call_1', name: 'push', arguments: '{}' };
const before: Item[] = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi.' },
];

/** A conversation whose second turn the person stops before anything of it runs. */
async function stopped() {
  const chat = new Conversation<Item>(openaiResponses, { messages: before });
  const agent = new InterruptController();
  const report = await chat.runTurn(agent, 'Push it.', async (turn) => {
    const reply = await turn.model(() => ({ output: [push] }));
    agent.cancel('user');
    await turn.tools(reply.calls, () => 'pushed');
  });
  return { chat, report };
}

const kept = await stopped();
console.log('kept:', kept.chat.messages.map(({ type, role }) => type ?? role).join());

const marked = await stopped();
marked.chat.mark();
console.log('marked:', JSON.stringify(marked.chat.messages.at(-1)?.content));

const dropped = await stopped();
const prompts = dropped.chat.drop(dropped.report);
console.log('dropped:', dropped.chat.messages.length, 'left, given back:', JSON.stringify(prompts[0]?.content));

// Output:
// kept: user,assistant,message,function_call,function_call_output
// marked: "[This turn was interrupted before its work was done: the user cancelled.]"
// dropped: 2 left, given back: "Push it."
