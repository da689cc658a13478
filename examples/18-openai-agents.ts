/**
 * A streamed run of OpenAI Agents, stopped in the middle of a sentence. The SDK's own stream would end and its `completed`
 * resolve; here the turn is cancelled, what had been said is kept, and the next turn is clean.
 */
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled } from '@openai/agents';
import { InterruptController } from 'desist';
import { readRun, underTurn } from 'desist/openai-agents';
import { startModelServer } from 'desist/testing';
import OpenAI from 'openai';

setTracingDisabled(true);

// Stands for a provider.
const server = await startModelServer({
  script: [{ text: 'First I delete the old database', silentAfter: 4 }, 'Understood: the database stays.'],
});
const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' });
const worker = new Agent({ name: 'worker', model: new OpenAIChatCompletionsModel(client, 'scripted') });

const controller = new InterruptController({ name: 'main' });
const turnOf = (input: string) =>
  controller.runTurn(async (turn) => {
    const running = run(underTurn(turn, worker), input, { signal: turn.signal, stream: true });
    const { finalOutput } = await readRun(turn.token, running);
    return finalOutput;
  });

const first = turnOf('tidy up');
await server.waitFor(({ requests }) => requests[0]?.deltasWritten === 4);
await new Promise((resolve) => setTimeout(resolve, 100)); // it has arrived on this side too
controller.cancel('user');
const stopped = await first;
console.log(
  stopped.status,
  stopped.partials.map(({ value }) => (value as { text: string }).text),
);

const second = await turnOf('not the database!');
console.log(second.status, second.unwrap());

await controller.close();
await server.close();

// Output:
// cancelled [ 'First I delete the' ]
// completed Understood: the database stays.
