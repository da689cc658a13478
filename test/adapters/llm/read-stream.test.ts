import { expect, it } from 'vitest';
import { foldOpenAIChat, type OpenAIChatChunk } from '../../../src/adapters/llm/folds/fold-openai-chat.ts';
import { textIn } from '../../../src/adapters/llm/folds/fold.ts';
import { readStream } from '../../../src/adapters/llm/read-stream.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

async function* chunks(): AsyncGenerator<OpenAIChatChunk> {
  for (const content of ['Hel', 'lo', '!']) yield await Promise.resolve({ choices: [{ delta: { content } }] });
  yield { choices: [{ delta: {}, finish_reason: 'stop' }] };
}

it('returns what the fold made of the whole stream', async () => {
  const progress: string[] = [];
  const reply = await readStream(undefined, () => chunks(), {
    fold: foldOpenAIChat,
    onProgress: (value, event) => progress.push(`${value.text}<${textIn(event.choices?.[0]?.delta?.content)}`),
  });
  expect(reply).toMatchObject({ text: 'Hello!', isComplete: true });
  expect(progress).toEqual(['Hel<Hel', 'Hello<lo', 'Hello!<!', 'Hello!<']);
});

it('rejects when it is cut, after telling what had come', async () => {
  const person = new CancellationTokenSource();
  let last = '';
  const reading = readStream(person.token, () => chunks(), {
    fold: foldOpenAIChat,
    onProgress: (value) => {
      last = value.text;
      if (last === 'Hello') person.cancel('user');
    },
  });
  const error: unknown = await reading.catch((thrown: unknown) => thrown);
  expect(error).toBe(person.signal.reason);
  expect(last).toBe('Hello');
});

it('leaves the stream when onProgress throws', async () => {
  let closed = false;
  async function* source(): AsyncGenerator<OpenAIChatChunk> {
    try {
      yield* chunks();
    } finally {
      closed = true;
    }
  }
  const onProgress = () => {
    throw new Error('screen is gone');
  };
  await expect(readStream(undefined, () => source(), { fold: foldOpenAIChat, onProgress })).rejects.toThrow('screen');
  expect(closed).toBe(true);
});

it('refuses a missing fold', async () => {
  await expect(readStream(undefined, () => chunks(), {} as never)).rejects.toThrow(
    'fold must be a function, got undefined',
  );
});
