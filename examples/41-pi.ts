/**
 * The agent of pi, stopped while a tool ignores it. Alone it would wait for the tool; here the turn ends, the tool is named,
 * and the next request tells the model what is known of it.
 */
import { Agent } from '@mariozechner/pi-agent-core';
import { InterruptController } from 'desist';
import { underTurn } from 'desist/pi';
import { startModelServer } from 'desist/testing';
import { openaiChat } from 'desist/transcript/openai-chat';

// Stands for a provider.
const server = await startModelServer({
  script: [{ toolCalls: [{ name: 'deploy', input: {} }] }, 'Then I check before I deploy again.'],
});
const model = {
  ...{ id: 'scripted', name: 'scripted', api: 'openai-completions' as const, provider: 'openai', reasoning: false },
  ...{ baseUrl: `${server.url}/v1`, input: ['text' as const], contextWindow: 100_000, maxTokens: 1_000 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

const controller = new InterruptController({ name: 'pi', graceMs: 100 });
const deploy = {
  ...{
    name: 'deploy',
    label: 'Deploy',
    description: 'deploys',
    parameters: { type: 'object', properties: {} } as never,
  },
  execute: () => {
    setTimeout(() => controller.cancel('user'), 10);
    return new Promise<never>(() => undefined); // never looks at its signal
  },
};
const agent = new Agent({ getApiKey: () => 'none', initialState: { model, tools: [deploy] } });
const prompt = (text: string) =>
  controller.runTurn((turn) => underTurn(turn, agent, { dialect: openaiChat }).prompt(text));

const stopped = await prompt('ship it');
console.log(stopped.status, stopped.stop?.abandoned);

const next = await prompt('and now?');
const result = server.requests[1]?.history.find(({ kind }) => kind === 'result');
console.log(next.status, result?.text);

await controller.close();
await server.close();

// Output:
// cancelled [ 'deploy' ]
// completed This call did not end when it was told to stop: the user cancelled. It may still complete, or have completed: check before you repeat it. Do not retry it; wait for instructions.
