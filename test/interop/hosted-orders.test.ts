/**
 * Hosted MCP tools that a person allows, with the real clients and frameworks over a loopback bank that pays whenever a request
 * has a yes without the payment, as the provider does: whatever becomes of a request, the bank pays once.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createOpenAI } from '@ai-sdk/openai';
import { Agent, hostedMcpTool, OpenAIResponsesModel, run, RunState, setTracingDisabled } from '@openai/agents';
import { generateText, stepCountIs, streamText } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';

import { readResult, underTurn as underAI } from '../../src/adapters/ai-sdk/index.ts';
import { foldOpenAIResponses, readStream } from '../../src/adapters/llm/index.ts';
import { readRun, underTurn as underAgents } from '../../src/adapters/openai-agents/index.ts';
import { InterruptController, type TurnReport } from '../../src/index.ts';
import { aiSDK } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import {
  checkTranscript,
  Conversation,
  type ConversationTurn,
  type TranscriptDialect,
} from '../../src/transcript/index.ts';

setTracingDisabled(true);

interface Item {
  readonly type?: string;
  readonly id?: string;
  readonly approve?: boolean;
  readonly approval_request_id?: string | undefined;
}

/** What becomes of the first request that has a yes. */
type Fate = 'stop' | 'now' | 'death' | 'reset' | 'refused' | 'whole';

const asks = { id: 'mcpr_1', type: 'mcp_approval_request', name: 'pay', arguments: '{}', server_label: 'bank' };
const usage = {
  ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
};

async function bodyOf(
  request: IncomingMessage,
): Promise<{ readonly input: readonly Item[]; readonly stream?: boolean }> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return JSON.parse(text) as Awaited<ReturnType<typeof bodyOf>>;
}

async function openBank(fate: Fate) {
  const bank = { paid: 0, inputs: [] as (readonly Item[])[], url: '', onPaying: (): unknown => undefined };
  const kept = new Map<string | undefined, Item>();
  let isFirst = true;
  const http = createServer((request, response) => {
    void (async () => {
      const { input: given, stream } = await bodyOf(request);
      const id = `resp_${String(bank.inputs.push(given))}`;
      // The AI SDK names what the server has kept.
      const input = given.map((one) => (one.type === 'item_reference' ? (kept.get(one.id) ?? one) : one));
      const isPaid = (of: Item): boolean =>
        input.some((one) => one.type === 'mcp_call' && one.approval_request_id === of.approval_request_id);
      const due = input.filter((one) => one.approve === true && !isPaid(one));
      const isFated = isFirst && due.length > 0;
      if (isFated) isFirst = false;
      if (isFated && fate === 'refused') {
        response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":{"message":"Slow down."}}');
        return;
      }
      bank.paid += due.length;
      if (isFated && fate !== 'whole') await bank.onPaying();
      if (isFated && fate === 'reset') {
        request.socket.resetAndDestroy();
        return;
      }
      const wasAsked = input.some((one) => one.type?.startsWith('mcp_approval') === true);
      const content = [{ type: 'output_text', text: 'Done.', annotations: [] }];
      const said = { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
      const ran = due.map((one) => ({
        ...{ ...asks, id: `mcp_${id}`, type: 'mcp_call', output: 'paid', error: null, status: 'completed' },
        approval_request_id: one.approval_request_id,
      }));
      const output: readonly Item[] = wasAsked ? [...ran, said] : [asks];
      for (const item of output) kept.set(item.id, item);
      const kind = {
        object: 'response',
        created_at: 1,
        model: 'gpt',
        tools: [],
        tool_choice: 'auto',
        parallel_tool_calls: true,
      };
      const whole = { id, ...kind, status: 'completed', output, usage };
      if (stream !== true) {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(whole));
        return;
      }
      response.setHeader('content-type', 'text/event-stream');
      const events = [
        { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
        ...output.map((item, at) => ({ type: 'response.output_item.added', output_index: at, item })),
        ...output.map((item, at) => ({ type: 'response.output_item.done', output_index: at, item })),
        { type: 'response.completed', response: whole },
      ];
      events.forEach((event, at) => {
        response.write(`event: ${event.type}\ndata: ${JSON.stringify({ sequence_number: at, ...event })}\n\n`);
      });
      response.end();
    })();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  bank.url = `http://127.0.0.1:${String((http.address() as AddressInfo).port)}/v1`;
  return bank;
}

type Chat = Conversation<object>;
type Loop = (turn: ConversationTurn<object>) => Promise<unknown>;

interface Door {
  readonly dialect: TranscriptDialect<object>;
  /** The loop of a turn; behind a turn that asked, with the person's yes. */
  readonly loop: (chat: Chat, asked?: TurnReport<unknown>) => Loop;
  /** The yes, where it is a message. */
  readonly yes: (chat: Chat) => object | undefined;
}

function aiDoor(url: string, isStreamed: boolean): Door {
  const provider = createOpenAI({ baseURL: url, apiKey: 'none' });
  const tools = {
    bank: provider.tools.mcp({ serverLabel: 'bank', serverUrl: 'http://bank/mcp', requireApproval: 'always' }),
  };
  const model = provider.responses('gpt-5');
  return {
    dialect: aiSDK as unknown as Door['dialect'],
    loop: (chat) => (turn) => {
      const messages = chat.messages as never[];
      const own = underAI(turn, { model, tools, messages, stopWhen: stepCountIs(3), maxRetries: 0, onError() {} });
      return isStreamed
        ? readResult(turn.token, streamText(own as never))
        : Promise.resolve(generateText(own as never));
    },
    yes(chat) {
      const { content } = chat.messages.at(-1) as {
        readonly content: readonly { type: string; approvalId?: string }[];
      };
      const { approvalId } = content.find(({ type }) => type === 'tool-approval-request') ?? {};
      return { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: true }] };
    },
  };
}

const doors: readonly (readonly [name: string, open: (url: string) => Door])[] = [
  [
    'the Responses API',
    (url) => {
      const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 });
      return {
        dialect: openaiResponses,
        loop: () => (turn) =>
          turn.model(({ messages, signal, partial }) => {
            const body = { model: 'gpt', stream: true, store: false, input: messages as never[] } as const;
            const how = { fold: foldOpenAIResponses, onProgress: partial, requireComplete: true } as const;
            return readStream(signal, (own) => client.responses.create(body, own), how);
          }),
        yes: () => ({ type: 'mcp_approval_response', approval_request_id: asks.id, approve: true }),
      };
    },
  ],
  ['generateText', (url) => aiDoor(url, false)],
  ['streamText', (url) => aiDoor(url, true)],
  [
    'OpenAI Agents',
    (url) => {
      const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 });
      const tools = [hostedMcpTool({ serverLabel: 'bank', serverUrl: 'http://bank', requireApproval: 'always' })];
      const worker = new Agent({ name: 'w', model: new OpenAIResponsesModel(client, 'gpt'), tools });
      return {
        dialect: openaiAgents,
        loop: (chat, asked) => async (turn) => {
          const own = underAgents(turn, worker);
          const state = (asked?.unwrap() as { state: RunState<unknown, typeof worker> } | undefined)?.state;
          const input =
            state === undefined ? (chat.messages as never[]) : await RunState.fromString(own, state.toString());
          if (input instanceof RunState) for (const one of input.getInterruptions()) input.approve(one);
          return readRun(turn.token, run(own, input, { signal: turn.signal }));
        },
        yes: () => undefined,
      };
    },
  ],
];

const fates: readonly Fate[] = ['whole', 'stop', 'now', 'death', 'reset', 'refused'];

describe.each(doors)('a hosted tool that a person allows under %s', (_name, open) => {
  it.each(fates)('is asked for once: %s', async (fate) => {
    const bank = await openBank(fate);
    const { dialect, loop, yes } = open(bank.url);
    const agent = new InterruptController({ graceMs: 50 });
    let chat = new Conversation(dialect);
    let stored = '';
    chat.onChange((messages) => (stored = JSON.stringify(messages)));
    const asked = await chat.runTurn(agent, 'Pay 10.', loop(chat));
    let died = '';
    bank.onPaying = () => {
      died = stored;
      if (fate === 'stop' || fate === 'death') agent.cancel('user');
      if (fate === 'now') agent.interject('From the savings account.', { delivery: 'now' });
    };
    await chat.runTurn(agent, yes(chat), loop(chat, asked));
    if (fate === 'death') chat = new Conversation(dialect, { messages: JSON.parse(died) as object[] });
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
    const next = await chat.runTurn(new InterruptController(), 'Do not pay!', loop(chat));
    expect([next.status, bank.paid]).toEqual(['completed', fate === 'refused' ? 0 : 1]);
    // What is sent says what is true of it.
    const sent = JSON.stringify(bank.inputs.at(-1));
    expect(sent.includes('may have run')).toBe(['stop', 'death', 'reset'].includes(fate));
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
    // Nothing that the API does not know.
    const answers = bank.inputs.flat().filter(({ type }) => type === 'mcp_approval_response');
    const known = new Set(['type', 'id', 'approval_request_id', 'approve', 'reason']);
    expect(answers.flatMap((one) => Object.keys(one)).filter((name) => !known.has(name))).toEqual([]);
  });
});
