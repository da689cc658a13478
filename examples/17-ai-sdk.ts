/**
 * A loop that the AI SDK owns, stopped while one of its tools is deaf: the turn ends in time, the tool is named, and the
 * model is not asked again – also when the tool succeeds after all.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, tool } from 'ai';
import { InterruptController, delay } from 'desist';
import { underTurn } from 'desist/ai-sdk';
import { startModelServer } from 'desist/testing';
import { z } from 'zod';

// Stands for a provider: it asks for one tool call, and would go on after it.
const server = await startModelServer({
  script: [{ toolCalls: [{ name: 'deploy', input: {} }] }, 'Deployed, and now for the other servers.'],
});
const model = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' }).chat('scripted');

let started = (): void => undefined;
const running = new Promise<void>((resolve) => {
  started = resolve;
});
const deploy = tool({
  description: 'Deploys',
  inputSchema: z.object({}),
  execute: async () => {
    started();
    await delay(undefined, 300); // deaf: it never looks at its signal
    return 'deployed';
  },
});

const agent = new InterruptController({ name: 'main' });
agent.onEvent((event) => {
  if (event.type === 'late-settled') console.log('later:', event.name, event.status);
});

const turn = agent.runTurn(async (current) => {
  const settings = { model, tools: { deploy }, prompt: 'deploy it', stopWhen: stepCountIs(5) };
  return (await generateText(underTurn(current, settings, { graceMs: 50 }))).text;
});
await running;
agent.cancel('user');

const report = await turn;
console.log(report.status, report.calls.map(({ name, status }) => `${name}: ${status}`).join());
await delay(undefined, 500);
console.log('requests:', server.requests.length);

await agent.close();
await server.close();

// Output:
// cancelled deploy: unknown
// later: deploy completed
// requests: 1
