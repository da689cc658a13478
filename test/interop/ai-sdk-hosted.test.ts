/** What a provider of the AI SDK ran itself for a reply that was cut: the next request knows of it, in the same call and in the next turn. */
import type { LanguageModel, ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { readResult, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { lostNote } from '../../src/core/foundation/results/lost-note.ts';
import { InterruptController } from '../../src/index.ts';
import { majors } from './majors.ts';
import { chatOfAISDK, checkedAISDK } from './support/settle-history.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `ai ${major.version('ai')}`,
    ai: await major.load<typeof import('ai')>('ai'),
    openai: await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
  })),
);

const tool = { toolCallId: 'mcp_1', toolName: 'pay', providerExecuted: true, dynamic: true };
const call = { ...tool, type: 'tool-call', input: '{}' };
const result = { ...tool, type: 'tool-result', result: 'PAID' };
const question = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'mcp_1' };
const begins = [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'I pay.' },
] as const;
const said = [...begins, { type: 'text-end', id: '0' }] as const;
const finish = {
  ...{ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' } },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
};
const stored = { providerMetadata: { openai: { itemId: 'msg_1' } } };
const note = lostNote(['pay']);

const replies: readonly [string, readonly object[], string][] = [
  ['that runs', [call], note],
  ['that runs, behind words', [...said, call], note],
  ['that a person is asked about', [said[0], { ...said[1], delta: 'May I?' }, said[2], call, question], 'May I?'],
  ['that has ended', [call, result], 'PAID'],
  ['that has ended, before words', [call, result, ...begins], 'PAID'],
  ['that has ended, behind words', [...said, call, result], 'PAID'],
  ['whose result is stored with the reply', [call, result, { ...begins[0], ...stored }, begins[1]], note],
];

describe.each(loaded)('$name', ({ ai, openai }) => {
  it.each(replies.flatMap(([what, ...row]) => ['now', 'stop'].map((how) => [what, how, ...row] as const)))(
    'S18 a call of the provider %s is told in the next request (%s)',
    async (_what, how, parts, told) => {
      const agent = new InterruptController();
      const sent: string[] = [];
      const doStream = ({ prompt, abortSignal }: { prompt: unknown; abortSignal?: AbortSignal }) => {
        const isFirst = sent.push(JSON.stringify(prompt)) === 1;
        const all = [{ type: 'stream-start', warnings: [] }, ...(isFirst ? parts : [...said, finish])];
        // Asked for only once what came before was taken.
        const stream = new ReadableStream<object>(
          {
            pull(controller) {
              const part = all.shift();
              if (part !== undefined) {
                controller.enqueue(part);
                return undefined;
              }
              if (!isFirst) {
                controller.close();
                return undefined;
              }
              return new Promise((_resolve, reject) => {
                abortSignal?.addEventListener('abort', () => {
                  reject(new Error('aborted'));
                });
                if (how === 'now') agent.interject('Wait.', { delivery: 'now' });
                else agent.cancel('user');
              });
            },
          },
          { highWaterMark: 0 },
        );
        return Promise.resolve({ stream });
      };
      const own = { specificationVersion: 'v3', provider: 'p', modelId: 'm', supportedUrls: {} };
      const model = { ...own, doStream, doGenerate: doStream } as unknown as LanguageModel & object;
      const chat = chatOfAISDK<ModelMessage>();
      const ask = (prompt: string) =>
        chat.runTurn(agent, prompt, (turn) =>
          readResult(
            turn.token,
            ai.streamText(underTurn(turn, { model, messages: chat.messages, maxRetries: 0, onError() {} })),
          ),
        );
      await ask('Pay.');
      if (how === 'stop') await ask('And now?');
      expect(sent).toHaveLength(2);
      expect(sent[1]).toContain(told);
      if (told !== note) expect(sent[1]).not.toContain(note);
      expect(JSON.stringify(chat.messages).split(told)).toHaveLength(2);
      expect(checkedAISDK(chat.messages)).toEqual([]);
    },
  );

  const asks = { type: 'mcp_approval_request', id: 'q', name: 'pay', arguments: '{}', server_label: 'bank' };
  const done = { type: 'mcp_call', id: 'mcp_1', status: 'completed', approval_request_id: 'q', name: 'pay' };
  const ran = { ...done, arguments: '{}', server_label: 'bank', output: 'PAID', error: null };
  const text = { type: 'output_text', text: 'Well.', annotations: [] };
  const words = { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content: [text] };

  it.each(
    ['generateText', 'streamText'].flatMap((how) =>
      [
        ['yes', [true, true]],
        ['yes, elsewhere', [true, true]],
        ['no', [false, false]],
        ['another prompt', [false, false]],
        ['yes, before a stop', [true, false]],
      ].map((row) => [how, ...row] as [string, string, boolean[]]),
    ),
  )('what a hosted server of MCP asks waits for a person: %s, %s', async (how, then, answers) => {
    const [approved, isStopped] = [then.startsWith('yes'), then.endsWith('stop')];
    const agent = new InterruptController();
    const sent: { readonly type: string; readonly approve?: boolean }[][] = [];
    const fetch = (
      _url: unknown,
      init: { readonly body: string; readonly signal?: AbortSignal },
    ): Promise<Response> => {
      const body = JSON.parse(init.body) as { readonly input: (typeof sent)[number]; readonly stream?: boolean };
      const round = sent.push(body.input);
      if (round === 2 && isStopped) {
        agent.cancel('user');
        return Promise.reject(new Error('aborted'));
      }
      const output = round === 1 ? [asks] : !isStopped && approved && round === 2 ? [ran, words] : [words];
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      const response = { id: 'r', created_at: 1, model: 'gpt', status: 'completed', output, usage };
      if (body.stream !== true) return Promise.resolve(Response.json(response));
      const events = [
        { type: 'response.created', response: { ...response, output: [] } },
        ...output.flatMap((item, output_index) => {
          const said = { item_id: item.id, output_index, content_index: 0, delta: text.text };
          return [
            { type: 'response.output_item.added', output_index, item },
            ...(item === words ? [{ type: 'response.output_text.delta', ...said }] : []),
            { type: 'response.output_item.done', output_index, item },
          ];
        }),
        { type: 'response.completed', response },
      ];
      const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
      return Promise.resolve(new Response(lines, { headers: { 'content-type': 'text/event-stream' } }));
    };
    const provider = openai.createOpenAI({ apiKey: 'none', fetch: fetch as never });
    const bank = { serverLabel: 'bank', serverUrl: 'http://127.0.0.1/mcp', requireApproval: 'always' } as const;
    const model = provider.responses('gpt-5');
    let chat = chatOfAISDK<ModelMessage>();
    const ask = (prompt?: string | ModelMessage) =>
      chat.runTurn(agent, prompt, (turn) => {
        const tools = { bank: provider.tools.mcp(bank) };
        const settings = underTurn(turn, { model, messages: chat.messages, tools, maxRetries: 0, onError() {} });
        if (how === 'streamText') return readResult(turn.token, ai.streamText(settings as never));
        return ai.generateText(settings as never).then((result) => result.text);
      });
    await ask('Pay.');
    const [question] = chat.messages.at(-1)?.content.slice(1) as unknown as { type: string; approvalId: string }[];
    const response = { type: 'tool-approval-response', approvalId: question?.approvalId ?? '', approved } as const;
    const answer: ModelMessage = { role: 'tool', content: [response] };
    if (then === 'yes, elsewhere') {
      chat = chatOfAISDK(JSON.parse(JSON.stringify([...chat.messages, answer])) as ModelMessage[]);
      await ask();
    } else await ask(then === 'another prompt' ? 'Never mind.' : answer);
    await ask('And?');
    const given = sent.map((input) =>
      input.flatMap(({ type, approve: own }) => (type === 'mcp_approval_response' ? own : [])),
    );
    expect(given).toEqual([[], ...answers.map((own) => [own])]);
    expect(JSON.stringify(chat.messages).split('PAID')).toHaveLength(approved && !isStopped ? 2 : 1);
    // The request with the yes was on its way, and nobody knows how far it came.
    expect(JSON.stringify(chat.messages).includes('may have run')).toBe(isStopped);
    expect(checkedAISDK(chat.messages)).toEqual([]);
  });
});
