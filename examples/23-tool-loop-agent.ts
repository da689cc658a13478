/**
 * An agent of the AI SDK, stopped between a payment and the end of its answer: the payment, and the words that came, are in
 * the settled messages, so the next request of the same conversation pays for nothing twice.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { ToolLoopAgent, tool, type ModelMessage } from 'ai';
import { InterruptController, type Turn } from 'desist';
import { messagesSoFar, readResult, underTurn } from 'desist/ai-sdk';
import { startModelServer } from 'desist/testing';
import { settleTurn } from 'desist/transcript';
import { aiSDK } from 'desist/transcript/ai-sdk';
import { z } from 'zod';

// Stands for a provider, which also refuses a conversation in which a call has no result.
const server = await startModelServer({
  script: [
    { toolCalls: [{ name: 'pay', input: {} }] },
    { text: 'Paid. Now I will also', silentAfter: 2 },
    'I have paid once, and nothing else.',
  ],
});
const model = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' }).chat('scripted');

let payments = 0;
const pay = tool({
  description: 'Pays the invoice',
  inputSchema: z.object({}),
  execute: () => Promise.resolve(`payment ${String(++payments)}`),
});

const agent = new InterruptController({ name: 'main' });
let messages: ModelMessage[] = [{ role: 'user', content: 'pay the invoice' }];

/** One prompt: the agent is made inside the turn, and is given the signal in the call. */
async function ask(turn: Turn, onWord: (text: string) => void): Promise<string> {
  try {
    const worker = new ToolLoopAgent(underTurn(turn, { model, tools: { pay } }));
    const result = await worker.stream({ messages, abortSignal: turn.signal });
    return await readResult(turn.token, result, (part) => {
      if (part.type === 'text-delta') onWord(part.text);
    });
  } finally {
    messages = messagesSoFar(turn, messages);
  }
}

let shown = '';
const stopped = await agent.runTurn((turn) =>
  ask(turn, (text) => {
    shown += text;
    if (shown === 'Paid. Now') agent.cancel('user');
  }),
);
console.log(stopped.status, '- shown:', shown);

messages = [
  ...settleTurn(messages, stopped, { dialect: aiSDK }).messages,
  { role: 'user', content: 'what did you do?' },
];
console.log(messages.map(({ role }) => role).join(', '));

const answered = await agent.runTurn((turn) => ask(turn, () => undefined));
console.log(answered.unwrap(), 'Payments:', payments);

await agent.close();
await server.close();

// Output:
// cancelled - shown: Paid. Now
// user, assistant, tool, assistant, user
// I have paid once, and nothing else. Payments: 1
