/** `node --test agent.test.ts`: the loop put through the scenarios of a stop, with a scripted model. No key is needed. */
import assert from 'node:assert';
import { test } from 'node:test';
import OpenAI from 'openai';
import { describeAgent, type AgentHarness } from 'desist/testing';
import { createAgent } from './agent.ts';

const harness: AgentHarness = {
  name: 'starter',
  start({ url, prompt, tools, history }) {
    const entries = Object.entries(tools).map(([name, work]) => [
      name,
      {
        description: 'works',
        parameters: { type: 'object', properties: {} },
        run: (_input: unknown, context: { readonly signal: AbortSignal }) => work(context.signal, context),
      },
    ]);
    // The next run of a conversation goes on in the agent of this one.
    const own =
      (history as ReturnType<typeof createAgent> | undefined) ??
      createAgent({
        client: new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 }),
        model: 'scripted',
        tools: Object.fromEntries(entries),
        graceMs: 250,
      });
    const { agent, ask } = own;
    let report: Awaited<ReturnType<typeof ask>> | undefined;
    const done = ask(prompt).then((ended) => {
      report = ended;
    });
    return {
      done,
      cancel: () => agent.cancel('user'),
      interject: (text) => agent.interject(text),
      history: () => own,
      status: () => report?.status ?? 'failed',
      calls: () => report?.calls ?? [],
      stillRunning: () => report?.stop?.abandoned ?? [],
      undelivered: () => (report?.undelivered ?? []).map(({ message }) => String(message)),
    };
  },
};

void test('the loop stops when it is told to', { timeout: 300_000 }, async () => {
  const verdicts = await describeAgent(harness);
  assert.deepStrictEqual(
    verdicts.filter(({ status }) => status === 'failed').map(({ scenario, why }) => `${scenario}: ${why}`),
    [],
  );
  assert.ok(verdicts.filter(({ status }) => status === 'passed').length > 15);
});
