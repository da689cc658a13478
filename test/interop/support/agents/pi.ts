/** The agent of pi, a public coding agent, from its own README: alone, and with this package around it from outside. */
import { Agent, type AgentMessage } from '@mariozechner/pi-agent-core';
import { InterruptController, lateNote, runUntilCancelled, type TurnReport } from '../../../../src/index.ts';
import { guardTools } from '../../../../src/guard/index.ts';
import type { AgentHarness, AgentStart } from '../../../../src/testing/index.ts';
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

/** What pi leaves out of the next request: the words of an answer that was cut. Half a call is no call. */
function keepWords(message: AgentMessage): AgentMessage {
  if (message.role !== 'assistant' || message.stopReason !== 'aborted') return message;
  return { ...message, stopReason: 'stop', content: message.content.filter(({ type }) => type === 'text') };
}

/** A tool that completed in the moment of the stop: pi has written that it was aborted, the ledger has its result. */
const keepResult =
  (report: TurnReport<unknown> | undefined) =>
  (message: AgentMessage): AgentMessage => {
    if (message.role !== 'toolResult') return message;
    const call = report?.calls.find(({ id }) => id === message.toolCallId);
    return call?.status === 'completed' ? { ...message, ...(call.value as object), isError: false } : message;
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
      initialState: { model: model(start.url), messages: messages.map(keepWords) },
    });
    const prompt = [...controller.takeLateOutcomes().map(lateNote), start.prompt].join('\n\n');
    const ticket = controller.accept();
    const done = controller.runTurn(
      async (turn) => {
        // pi names its call in the first argument of the tool.
        agent.state.tools = guardTools(toolsOf(start), { turn, identify: ([id]) => id });
        turn.token.onCancelled(() => {
          agent.abort();
        });
        // pi needs a moment to write down what became of its calls; a client that sleeps gets no more than that.
        await runUntilCancelled(turn.token, () => agent.prompt(prompt), { graceMs: 400 });
        if (agent.state.errorMessage !== undefined) throw new Error(agent.state.errorMessage);
      },
      { ticket },
    );
    let report: TurnReport<void> | undefined;
    void done.then((ended) => (report = ended));
    return {
      done,
      cancel: () => ticket.cancel('user'),
      interject: (text) => {
        agent.steer(said(text));
      },
      history: (): Conversation => ({ controller, messages: agent.state.messages.map(keepResult(report)) }),
      status: () => report?.status ?? 'failed',
      calls: () => report?.calls ?? [],
      stillRunning: () => report?.stop?.abandoned ?? [],
    };
  },
};

export const piAgents: AgentPair = { name: pi.name, bare: pi, guarded: piGuarded };
