/**
 * An agent of the AI SDK, stopped between a payment and the end of its answer: the payment, and the words that came, are in
 * the conversation, so the next request of the same conversation pays for nothing twice.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { ToolLoopAgent, tool, type ModelMessage } from 'ai';
import { InterruptController } from 'desist';
import { readResult, underTurn } from 'desist/ai-sdk';
import { startModelServer } from 'desist/testing';
import { Conversation } from 'desist/transcript';
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
const chat = new Conversation<ModelMessage>(aiSDK);

/** One prompt: the agent is made inside the turn, and is given the signal in the call. */
const ask = (prompt: string, onWord: (text: string) => void = () => undefined) =>
  chat.runTurn(agent, prompt, async (turn) => {
    const worker = new ToolLoopAgent(underTurn(turn, { model, tools: { pay } }));
    const result = await worker.stream({ messages: chat.messages, abortSignal: turn.signal });
    return await readResult(turn.token, result, (part) => {
      if (part.type === 'text-delta') onWord(part.text);
    });
  });

let shown = '';
const stopped = await ask('pay the invoice', (text) => {
  shown += text;
  if (shown === 'Paid. Now') agent.cancel('user');
});
console.log(stopped.status, '- shown:', shown);
console.log(chat.messages.map(({ role }) => role).join(', '));

const answered = await ask('what did you do?');
console.log(answered.unwrap(), 'Payments:', payments);

await agent.close();
await server.close();

// Output:
// cancelled - shown: Paid. Now
// user, assistant, tool, assistant
// I have paid once, and nothing else. Payments: 1
