/** The loop of the `openai` package, `runTools`, which has the function of a tool one deeper than others have it. */
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { guardTool, guardTools } from '../../src/guard/index.ts';
import { frameworkStage } from './stage.ts';
import { callsOf } from './support/frameworks/loop-stage.ts';

it('a set for runTools is refused, and passes where its functions are guarded, whose calls have rows', async () => {
  const { agent, baseURL } = await frameworkStage([callsOf('search', 'pay'), 'Done.']);
  const ran: string[] = [];
  const search = function search(): string {
    ran.push('search');
    agent.cancel('user');
    return 'found';
  };
  const pay = function pay(): string {
    ran.push('pay');
    return 'paid';
  };
  const setOf = (functions: readonly ((input: object) => unknown)[]) =>
    functions.map((own) => ({
      type: 'function' as const,
      function: { name: own.name, description: 'x', parameters: { type: 'object' }, parse: JSON.parse, function: own },
    }));
  expect(() => guardTools(setOf([search, pay]))).toThrow('nothing of "search" would be guarded');
  const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
  const report = await agent.runTurn(async (turn) => {
    const tools = guardTools(setOf([search, pay].map((own) => guardTool(own, { turn }))));
    const messages = [{ role: 'user' as const, content: 'go' }];
    await client.chat.completions
      .runTools({ model: 'scripted', messages, tools: tools as never }, { signal: turn.signal })
      .done();
  });
  expect([report.status, ran]).toEqual(['cancelled', ['search']]);
  expect(report.calls[0]).toMatchObject({ name: 'search', status: 'completed', value: 'found' });
});
