/** The agent of pi, a public coding agent, from its own README: alone, and with this package around it from outside. */
import { Agent, type AgentMessage } from '@mariozechner/pi-agent-core';
import { InterruptController, type TurnReport } from '../../../../src/index.ts';
import type { AgentHarness, AgentStart } from '../../../../src/testing/index.ts';
import { promptPi } from '../recipes/pi.ts';
import type { AgentPair } from './pair.ts';

const model = (url: string) => ({
  ...{ id: 'scripted', name: 'scripted', api: 'openai-completions' as const, provider: 'openai', reasoning: false },
  ...{ baseUrl: `${url}/v1`, input: ['text' as const], contextWindow: 100_000, maxTokens: 1_000 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
});
const parameters = { type: 'object', properties: {} } as never;
const said = (content: string) => ({ role: 'user' as const, content, timestamp: 0 });

const toolsOf = ({ tools }: AgentStart) =>
  Object.entries(tools).map(([name, run]) => ({
    ...{ name, label: name, description: 'works', parameters },
    execute: async (_id: string, _input: unknown, signal?: AbortSignal) => ({
      content: [{ type: 'text' as const, text: await run(signal) }],
      details: {},
    }),
  }));

const pi: AgentHarness = {
  name: 'pi-agent-core 0.73.1',
  start(start) {
    const { url, prompt, history = [] } = start;
    const agent = new Agent({
      getApiKey: () => 'none',
      initialState: { model: model(url), messages: history as AgentMessage[], tools: toolsOf(start) },
    });
    return {
      done: agent.prompt(prompt),
      cancel: () => {
        agent.abort();
      },
      interject: (text) => {
        agent.steer(said(text));
      },
      history: () => agent.state.messages,
    };
  },
};

interface Conversation {
  readonly controller: InterruptController;
  readonly messages: readonly AgentMessage[];
}

const piGuarded: AgentHarness = {
  name: 'pi-agent-core 0.73.1, guarded',
  start(start) {
    const fresh: Conversation = { controller: new InterruptController({ graceMs: 200 }), messages: [] };
    const { controller, messages } = (start.history as Conversation | undefined) ?? fresh;
    const agent = new Agent({
      getApiKey: () => 'none',
      initialState: { model: model(start.url), messages: [...messages], tools: toolsOf(start) },
    });
    const ticket = controller.accept();
    const done = promptPi(controller, agent, start.prompt, { ticket, graceMs: 200 });
    let report: TurnReport<void> | undefined;
    void done.then((ended) => (report = ended));
    return {
      done,
      cancel: () => ticket.cancel('user'),
      interject: (text) => {
        controller.interject(text);
      },
      history: (): Conversation => ({ controller, messages: agent.state.messages }),
      status: () => report?.status ?? 'failed',
      calls: () => report?.calls ?? [],
      stillRunning: () => report?.stop?.abandoned ?? [],
    };
  },
};

export const piAgents: AgentPair = { name: pi.name, bare: pi, guarded: piGuarded };
