/** The agent of pi, a public coding agent: alone as in its own README, and under a turn. */
import type { Agent, AgentMessage } from '@mariozechner/pi-agent-core';
import { underTurn } from '../../../../src/adapters/pi/index.ts';
import type { AgentHarness } from '../../../../src/testing/index.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { underController } from '../../../support/agents/under-controller.ts';
import type { Work } from '../frameworks/framework.ts';
import { piAgent, piVersion } from '../frameworks/pi.ts';
import type { AgentPair } from './pair.ts';

const said = (content: string) => ({ role: 'user' as const, content, timestamp: 0 });

const pi: AgentHarness = {
  name: `pi-agent-core ${piVersion}`,
  start({ url, prompt, tools: given, history }) {
    const tools = Object.fromEntries(
      Object.entries(given).map(([name, run]): [string, Work] => [name, ({ signal }) => run(signal)]),
    );
    const agent = piAgent({ baseURL: `${url}/v1`, tools, messages: history as AgentMessage[] | undefined });
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
  honours: ['verbatim'],
};

const agents = new WeakMap<object, Agent>();

const piGuarded = underController({
  name: `pi-agent-core ${piVersion}, guarded`,
  async run(turn, { url, messages, tools, passive, idleMs, oneByOne, compacted }) {
    const options = {
      toolExecution: oneByOne ? ('sequential' as const) : ('parallel' as const),
      transformContext: (all: AgentMessage[]) => Promise.resolve([...compacted(all)]),
    };
    const agent = piAgent({ baseURL: `${url}/v1`, tools, messages: messages.slice(0, -1), options });
    agents.set(turn, agent);
    const onInterject = passive.length > 0 ? 'yield' : 'finish';
    const own = underTurn(turn, agent, { dialect: openaiChat, onInterject, model: { idleMs } });
    await own.prompt(messages.at(-1) as AgentMessage);
  },
  // Its own list stays whole: what is sent of it is said anew for each request.
  messagesOf: (turn, { messages, compacted }) => compacted(agents.get(turn)?.state.messages ?? messages),
  honours: ['oneByOne', 'compactInto', 'verbatim'],
});

export const piAgents: AgentPair = { name: pi.name, bare: pi, guarded: piGuarded };
