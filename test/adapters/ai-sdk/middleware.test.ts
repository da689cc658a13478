import { describe, expect, it, vi } from 'vitest';
import type { AIModelCall } from '../../../src/adapters/ai-sdk/middleware.ts';
import type { AIStreamPart } from '../../../src/adapters/ai-sdk/streamed-text.ts';
import { aiSDK, type AISDKMessage } from '../../../src/transcript/dialects/ai-sdk/index.ts';
import { Conversation } from '../../../src/transcript/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { stage, tick } from '../../core/interrupt/kit.ts';
import { turnMiddleware } from './support/turn-middleware.ts';

const prompt = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
const told = { role: 'user', content: [{ type: 'text', text: '[PRIORITY USER MESSAGE]: use pnpm' }] };

/** A model whose streams say the words and then wait for their signal, the last one not. */
function streaming(rounds: string[][]) {
  const calls: AIModelCall[] = [];
  const doStream = (params: AIModelCall) => {
    calls.push(params);
    const words = rounds.shift() ?? [];
    const isLast = rounds.length === 0;
    const stream = new ReadableStream<AIStreamPart>({
      start(controller) {
        const text = words.map((delta) => ({ type: 'text-delta', id: '0', delta }));
        for (const part of [{ type: 'stream-start' }, { type: 'text-start', id: '0' }, ...text])
          controller.enqueue(part);
        if (isLast) controller.close();
        params.abortSignal?.addEventListener('abort', () => {
          controller.error(params.abortSignal?.reason);
        });
      },
    });
    return Promise.resolve({ stream, request: { body: 'kept' } });
  };
  return { model: { doStream }, calls };
}

async function read(stream: ReadableStream<AIStreamPart>): Promise<string[]> {
  const seen: string[] = [];
  for await (const part of stream as unknown as AsyncIterable<AIStreamPart & { delta?: string }>)
    seen.push(part.delta ?? part.type);
  return seen;
}

describe('a whole answer', () => {
  it('is the model’s, under a signal of the turn', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const doGenerate = vi.fn((params: AIModelCall) => Promise.resolve({ content: params.prompt }));
      const result = await turnMiddleware(turn).wrapGenerate({ params: { prompt }, model: { doGenerate } });
      expect(doGenerate.mock.calls[0]?.[0].abortSignal).toBeInstanceOf(AbortSignal);
      return result;
    });
    expect(report.unwrap()).toEqual({ content: prompt });
  });

  it('is not asked for after a stop', async () => {
    const { agent } = stage();
    const doGenerate = vi.fn();
    const report = await agent.runTurn((turn) => {
      agent.cancel('user');
      return turnMiddleware(turn).wrapGenerate({ params: { prompt }, model: { doGenerate } });
    });
    expect(report.status).toBe('cancelled');
    expect(doGenerate).not.toHaveBeenCalled();
  });

  it('is asked for with what the user said meanwhile, from then on', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const { wrapGenerate } = turnMiddleware(turn);
      const model = { doGenerate: ({ prompt: sent }: AIModelCall) => Promise.resolve(sent) };
      agent.interject('use pnpm');
      const first = await wrapGenerate({ params: { prompt }, model });
      const second = await wrapGenerate({ params: { prompt: [...prompt, 'answer'] }, model });
      return [first, second];
    });
    expect(report.unwrap()).toEqual([
      [...prompt, told],
      [...prompt, told, 'answer'],
    ]);
  });
});

describe('a stream', () => {
  it('keeps its head and its parts', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const { model } = streaming([['Hel', 'lo']]);
      const { stream, request } = await turnMiddleware(turn).wrapStream({ params: { prompt }, model });
      return [request, await read(stream)];
    });
    expect(report.unwrap()).toEqual([{ body: 'kept' }, ['stream-start', 'text-start', 'Hel', 'lo']]);
  });

  it('that cannot be opened fails before it is one', async () => {
    const { agent } = stage();
    const failure = new Error('no such model');
    const model = { doStream: () => Promise.reject<{ stream: ReadableStream<AIStreamPart> }>(failure) };
    const report = await agent.runTurn((turn) => turnMiddleware(turn).wrapStream({ params: { prompt }, model }));
    expect(report).toMatchObject({ status: 'failed', error: failure });
  });

  it('ends with an error when the turn is stopped, and its words are the turn’s partial output', async () => {
    const { agent } = stage();
    const running = agent.runTurn(async (turn) => {
      const { model } = streaming([['Hel', 'lo'], []]);
      const { stream } = await turnMiddleware(turn).wrapStream({ params: { prompt }, model });
      return await read(stream);
    });
    await tick();
    agent.cancel('user');
    expect(await running).toMatchObject({ status: 'cancelled', partials: [{ value: { text: 'Hello' } }] });
  });

  it('that a message cuts goes on in the same stream, with the cut words before the message', async () => {
    const { agent } = stage();
    const { model, calls } = streaming([['Hel'], ['lo.']]);
    const running = agent.runTurn(async (turn) => {
      const { stream } = await turnMiddleware(turn).wrapStream({ params: { prompt }, model });
      return await read(stream);
    });
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    expect((await running).unwrap()).toEqual(['stream-start', 'text-start', 'Hel', 'text-end', 'text-start', 'lo.']);
    expect(calls.map(({ prompt: sent }) => sent)).toEqual([
      prompt,
      [...prompt, { role: 'assistant', content: [{ type: 'text', text: 'Hel' }] }, told],
    ]);
  });

  it('is finished for its reader once the model’s call has ended: no message can cut it then', async () => {
    const { agent } = stage();
    const end = deferred();
    const seen: string[] = [];
    let opened = 0;
    const doStream = () => {
      opened++;
      const stream = new ReadableStream<AIStreamPart>({
        async start(controller) {
          for (const type of ['stream-start', 'tool-call', 'finish']) controller.enqueue({ type });
          await end.promise;
          controller.close();
        },
      });
      return Promise.resolve({ stream });
    };
    const report = await agent.runTurn(async (turn) => {
      const { stream } = await turnMiddleware(turn).wrapStream({ params: { prompt }, model: { doStream } });
      for await (const { type } of stream as unknown as AsyncIterable<AIStreamPart>) {
        seen.push(type);
        if (type === 'tool-call') setTimeout(end.resolve, 0);
        // A loop runs its tools when it has this, and a tool may say something.
        if (type === 'finish' && opened === 1) agent.interject('use pnpm', { delivery: 'now' });
      }
    });
    expect(report.status).toBe('completed');
    expect([seen, opened]).toEqual([['stream-start', 'tool-call', 'finish'], 1]);
    expect(report.undelivered).toHaveLength(1);
  });

  it('that a message cuts behind a whole call ends there: the loop runs the call, and the message is told with its result', async () => {
    const { agent } = stage();
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: '{}' };
    const open = { type: 'tool-input-start', id: 'c2', toolName: 'look' };
    const doStream = vi.fn(({ abortSignal }: AIModelCall) => {
      const stream = new ReadableStream<AIStreamPart>({
        start(controller) {
          for (const part of [{ type: 'stream-start' }, call, open]) controller.enqueue(part);
          abortSignal?.addEventListener('abort', () => {
            controller.error(abortSignal.reason);
          });
        },
      });
      return Promise.resolve({ stream });
    });
    const chat = new Conversation<AISDKMessage>(aiSDK);
    const running = chat.runTurn(agent, 'go', async (turn) => {
      const { stream } = await turnMiddleware(turn).wrapStream({ params: { prompt }, model: { doStream } });
      return [await read(stream), turn.hasInterjections];
    });
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    const part = { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: {} };
    expect((await running).unwrap()).toEqual([
      ['stream-start', 'tool-call', 'tool-input-start', 'tool-input-end', 'finish'],
      true,
    ]);
    expect(chat.messages[1]).toEqual({ role: 'assistant', content: [part] });
    expect(doStream).toHaveBeenCalledTimes(1);
  });

  it.each(['whole', 'streamed'])('that failed fails the turn of a conversation, %s', async (how) => {
    const { agent } = stage();
    const finishReason = { unified: 'error', raw: 'MALFORMED' };
    const model = {
      doGenerate: () => Promise.resolve({ content: [{ type: 'text', text: 'I pay.' }], finishReason }),
      doStream: () =>
        Promise.resolve({
          stream: new ReadableStream<AIStreamPart>({
            start(controller) {
              controller.enqueue({ type: 'finish', finishReason } as AIStreamPart);
              controller.close();
            },
          }),
        }),
    };
    const report = await new Conversation<AISDKMessage>(aiSDK).runTurn(agent, 'go', async (turn) => {
      const { wrapGenerate, wrapStream } = turnMiddleware(turn);
      if (how === 'whole') await wrapGenerate({ params: { prompt }, model });
      else await read((await wrapStream({ params: { prompt }, model })).stream);
    });
    expect(String((report as { error?: unknown }).error)).toBe('Error: the provider ended the reply: error');
  });

  it('that its reader leaves ends the model’s call', async () => {
    const { agent } = stage();
    const left = deferred<boolean | undefined>();
    const report = await agent.runTurn(async (turn) => {
      const { model, calls } = streaming([['Hel'], []]);
      const { stream } = await turnMiddleware(turn).wrapStream({ params: { prompt }, model });
      await stream.cancel();
      await tick();
      left.resolve(calls[0]?.abortSignal?.aborted);
    });
    expect(report.status).toBe('completed');
    expect(await left.promise).toBe(true);
  });
});

it('hears the signal of the loop as well, for this call alone', async () => {
  const { agent } = stage();
  const theirs = new AbortController();
  const heard: (boolean | undefined)[] = [];
  const report = await agent.runTurn(async (turn) => {
    const { wrapGenerate, wrapStream } = turnMiddleware(turn);
    const params = { prompt, abortSignal: theirs.signal };
    const { model } = streaming([['one'], ['never']]);
    const { stream } = await wrapStream({ params, model });
    const reading = read(stream).catch((error: unknown) => error);
    await tick();
    const doGenerate = async ({ abortSignal }: AIModelCall) => {
      heard.push(abortSignal?.aborted);
      theirs.abort(new Error('theirs'));
      heard.push(abortSignal?.aborted);
      return Promise.resolve('generated');
    };
    await wrapGenerate({ params, model: { doGenerate } });
    return await reading;
  });
  expect(heard).toEqual([false, true]);
  expect(report).toMatchObject({ status: 'completed', value: expect.any(Error) as unknown });
});

it('words that were cut are not sent as the last message: some providers go on from them', async () => {
  const { agent } = stage();
  const { model, calls } = streaming([['one'], ['two']]);
  await agent.runTurn(async (turn) => {
    // Somebody else delivers the message.
    agent.onEvent(({ type }) => void (type === 'interjection-queued' && turn.takeInterjections()));
    const { stream } = await turnMiddleware(turn).wrapStream({ params: { prompt }, model });
    const reading = read(stream);
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    await reading;
  });
  expect(calls.at(-1)?.prompt).toEqual(prompt);
});
