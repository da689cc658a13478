/** The agent of pi, which owns its loop and its messages: the newest, and the one before it, which had another name. */
import { Agent as NewestAgent } from '@earendil-works/pi-agent-core';
import { streamSimple } from '@earendil-works/pi-ai/compat';
import { Agent, type AgentMessage, type AgentOptions, type AgentTool } from '@mariozechner/pi-agent-core';
import { underTurn } from '../../../../src/adapters/pi/index.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { mapTools, type Framework, type LoopOptions, type Work } from './framework.ts';

/** One of the two, by the types of the older. */
export interface PiVersion {
  /** The package and its version. */
  readonly name: string;
  readonly make: (options: AgentOptions) => Agent;
}

/** The version that is installed of the older. */
export const piVersion = '0.73.1';

/** Tries again as often as the clients do by themselves; the newest never does unless its stream is told to. */
const streamTwiceAgain: typeof streamSimple = (model, context, options) =>
  streamSimple(model, context, { maxRetries: 2, ...options });

export const pis: readonly PiVersion[] = [
  {
    name: '@earendil-works/pi-agent-core 1.6.0',
    make: (options) => new NewestAgent({ streamFn: streamTwiceAgain, ...options } as never) as unknown as Agent,
  },
  { name: `@mariozechner/pi-agent-core ${piVersion}`, make: (options) => new Agent(options) },
];

export interface PiSettings {
  /** With `/v1`. */
  readonly baseURL: string;
  readonly tools?: Readonly<Record<string, Work>> | undefined;
  readonly around?: LoopOptions['around'];
  readonly messages?: readonly unknown[] | undefined;
  /** Whose protocol it speaks; Chat Completions by default. */
  readonly api?: 'openai-completions' | 'anthropic-messages' | undefined;
  readonly options?: AgentOptions | undefined;
}

/** An agent with the real client against the scripted server. */
export function piAgent(
  { baseURL, tools, around, messages = [], api = 'openai-completions', options }: PiSettings,
  { make } = pis[1] as PiVersion,
): Agent {
  const isAnthropic = api === 'anthropic-messages';
  const model = {
    ...{ id: 'scripted', name: 'scripted', api, provider: isAnthropic ? 'anthropic' : 'openai', reasoning: false },
    ...{
      baseUrl: isAnthropic ? baseURL.replace(/\/v1$/, '') : baseURL,
      input: ['text' as const],
      contextWindow: 100_000,
      maxTokens: 1_000,
    },
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const own = mapTools({ tools, around }, (name, work): AgentTool => {
    const parameters = { type: 'object', properties: {} } as never;
    return {
      ...{ name, label: name, description: 'works', parameters },
      execute: async (_id, _input, signal) => ({
        content: [{ type: 'text', text: String(await work({ signal })) }],
        details: {},
      }),
    };
  });
  const initialState = { model, tools: Object.values(own), messages: messages as AgentMessage[] };
  return make({ getApiKey: () => 'none', initialState, ...options });
}

/** What was said last. */
function lastWords({ state }: Agent): string {
  const last = state.messages.at(-1);
  if (last?.role !== 'assistant') return '';
  return last.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function listening(agent: Agent, { onPart }: LoopOptions): Agent {
  agent.subscribe(({ type }) => {
    if (type === 'message_update') onPart?.();
  });
  return agent;
}

const frameworkOf = (version: PiVersion): Framework => ({
  name: version.name,
  asksBehindAnswer: true,
  async run(turn, options) {
    const { graceMs, onInterject, idleMs } = options;
    const agent = listening(piAgent(options, version), options);
    const settings = { dialect: openaiChat, graceMs, onInterject, model: { graceMs, idleMs } };
    await underTurn(turn, agent, settings).prompt('go');
    return lastWords(agent);
  },
  async runBare(signal, options) {
    const agent = piAgent(options, version);
    const running = agent.prompt('go');
    signal.addEventListener('abort', () => {
      agent.abort();
    });
    await running;
  },
});

export const piFrameworks: readonly Framework[] = pis.map(frameworkOf);
