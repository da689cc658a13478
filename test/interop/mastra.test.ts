/** S45 for Mastra, which hands back nothing of a run that was stopped: by the recipe of its guide. */
import { expect, describe, it } from 'vitest';
import { messagesSoFar } from '../../src/adapters/ai-sdk/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage } from './stage.ts';
import { callsOf, rowsOf } from './support/frameworks/loop-stage.ts';
import { frameworks } from './support/frameworks/index.ts';
import { settledAISDK } from './support/settle-history.ts';

const [newest] = majors;
const ai = await newest!.load<typeof import('ai')>('ai');
const openai = await newest!.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');

describe.each(frameworks.filter(({ name }) => name.startsWith('@mastra')))('$name', (framework) => {
  it.each([false, true])('S45 a payment of a stopped run is in the next request, once; streamed %s', async (stream) => {
    const script = [callsOf('pay'), callsOf('deploy'), 'Went on.'];
    const { agent, server, baseURL } = await frameworkStage(script, { graceMs: 0 });
    const deaf = deafWork();
    let messages: ReturnType<typeof messagesSoFar> = [];
    const running = agent.runTurn(async (turn) => {
      try {
        return await framework.run(turn, { baseURL, stream, tools: { pay: () => 'paid 1', deploy: deaf.run } });
      } finally {
        messages = messagesSoFar(turn);
      }
    });
    await deaf.started;
    agent.cancel('user');
    const report = await running;
    expect([report.status, ...rowsOf(report)]).toEqual(['cancelled', 'pay: completed', 'deploy: unknown']);
    const settled = [...settledAISDK(messages, report), { role: 'user' as const, content: 'again' }];
    const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
    expect((await ai.generateText({ model, messages: settled })).text).toBe('Went on.');
    expect(JSON.stringify(server.requests.at(-1)?.body['messages']).split('paid 1')).toHaveLength(2);
    deaf.end.resolve('');
  });
});
