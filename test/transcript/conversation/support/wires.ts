/**
 * How each provider says a reply, and by which rules its server refuses a request. Written by hand: it shares nothing with
 * the dialects that it judges.
 *
 * @module
 */
import {
  refuseAnthropic,
  refuseGemini,
  refuseOpenAIChat,
  refuseResponsesItems,
} from '../../../../src/testing/model-server/transcript-rules/index.ts';

import { refuseTold, tellingOf } from './telling.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A reply in no dialect. */
export interface SaidReply {
  readonly words: string;
  readonly thought: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly mark: string }[];
}

/** One provider. */
export interface Wire {
  readonly name: string;
  /** The reply as its SDK resolves with it. */
  readonly whole: (said: SaidReply) => object;
  /** What a fold has when the reply is cut in the middle. */
  readonly fold: (said: SaidReply) => object;
  /** Why the server would answer with 400; `undefined` if it accepts the messages. */
  readonly refuse: (messages: readonly Fields[]) => string | undefined;
}

const folded = (message: unknown): object => ({ message, isComplete: false });

const chatMessage = ({ words, calls }: SaidReply): Fields => ({
  role: 'assistant',
  content: words === '' ? null : words,
  ...(calls.length > 0 && {
    tool_calls: calls.map(({ id, name, mark }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify({ mark }) },
    })),
  }),
});

const anthropicMessage = ({ words, thought, calls }: SaidReply): Fields => ({
  role: 'assistant',
  content: [
    ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought, signature: `sealed ${thought}` }]),
    ...(words === '' ? [] : [{ type: 'text', text: words }]),
    ...calls.map(({ id, name, mark }) => ({ type: 'tool_use', id, name, input: { mark } })),
  ],
});

const responseItems = ({ words, calls }: SaidReply): readonly Fields[] => [
  ...(words === '' ? [] : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] }]),
  ...calls.map(({ id, name, mark }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: JSON.stringify({ mark }),
  })),
];

const geminiContent = ({ words, calls }: SaidReply): Fields => ({
  role: 'model',
  parts: [
    ...(words === '' ? [] : [{ text: words }]),
    ...calls.map(({ name, mark }) => ({ functionCall: { name, args: { mark } } })),
  ],
});

/** Every call of Ollama has its result behind it, in order and by name: there is nothing else to refuse. */
function refuseOllama(messages: readonly Fields[]): string | undefined {
  let open: string[] = [];
  for (const message of messages) {
    if (message['role'] === 'tool') {
      if (open.shift() !== message['tool_name']) return `a result that no call waits for: ${JSON.stringify(message)}`;
      continue;
    }
    if (open.length > 0) return `${String(open.length)} calls without a result`;
    const calls = (message['tool_calls'] ?? []) as readonly { readonly function: { readonly name: string } }[];
    open = calls.map((call) => call.function.name);
  }
  return open.length > 0 ? `${String(open.length)} calls without a result at the end` : undefined;
}

/** Providers with a strict server. */
export const wires: readonly Wire[] = [
  {
    name: 'anthropic',
    whole: (said) => ({ id: 'msg', stop_reason: 'end_turn', ...anthropicMessage(said) }),
    fold: (said) => folded(anthropicMessage(said)),
    refuse: (messages) => refuseAnthropic({ model: 'm', max_tokens: 1, messages }),
  },
  {
    name: 'openai-chat',
    whole: (said) => ({ choices: [{ index: 0, message: chatMessage(said), finish_reason: 'stop' }] }),
    fold: (said) => folded(chatMessage(said)),
    refuse: (messages) => refuseOpenAIChat({ model: 'm', messages }),
  },
  {
    name: 'openai-responses',
    whole: (said) => ({ id: 'resp', object: 'response', status: 'completed', output: responseItems(said) }),
    fold: (said) => folded(responseItems(said)),
    refuse: (items) => refuseResponsesItems(items),
  },
  {
    name: 'gemini',
    whole: (said) => ({ candidates: [{ content: geminiContent(said), finishReason: 'STOP' }] }),
    fold: (said) => folded(geminiContent(said)),
    refuse: (contents) => refuseGemini({ contents }),
  },
  {
    name: 'ollama',
    whole: ({ words, calls }) => ({
      done: true,
      message: {
        role: 'assistant',
        content: words,
        tool_calls: calls.map(({ name, mark }) => ({ function: { name, arguments: { mark } } })),
      },
    }),
    fold: ({ words, calls }) =>
      folded({
        role: 'assistant',
        content: words,
        tool_calls: calls.map(({ name, mark }) => ({ function: { name, arguments: { mark } } })),
      }),
    refuse: refuseOllama,
  },
];

/** No server reads the messages of a framework: what any provider behind it would refuse. */
function judged(name: string): Wire['refuse'] {
  return (messages) => refuseTold(tellingOf(name).read(messages));
}

const aiMessage = ({ words, calls }: SaidReply): Fields => ({
  role: 'assistant',
  content: [
    ...(words === '' ? [] : [{ type: 'text', text: words }]),
    ...calls.map(({ id, name, mark }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: { mark },
    })),
  ],
});

const chainMessage = ({ words, calls }: SaidReply): Fields => ({
  role: 'assistant',
  content: words,
  tool_calls: calls.map(({ id, name, mark }) => ({ id, name, args: { mark } })),
});

const agentsItems = ({ words, calls }: SaidReply): readonly Fields[] => [
  ...(words === ''
    ? []
    : [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: words }],
        },
      ]),
  ...calls.map(({ id, name, mark }) => ({
    type: 'function_call',
    callId: id,
    name,
    status: 'completed',
    arguments: JSON.stringify({ mark }),
  })),
];

/** Frameworks. */
export const frameworks: readonly Wire[] = [
  {
    name: 'ai-sdk',
    whole: (said) => ({ response: { messages: [aiMessage(said)] } }),
    fold: (said) => folded(aiMessage(said)),
    refuse: judged('ai-sdk'),
  },
  {
    name: 'langchain',
    whole: chainMessage,
    fold: (said) => folded(chainMessage(said)),
    refuse: judged('langchain'),
  },
  {
    name: 'openai-agents',
    whole: (said) => ({ output: agentsItems(said), responseId: 'resp' }),
    fold: (said) => folded(agentsItems(said)),
    refuse: judged('openai-agents'),
  },
];
