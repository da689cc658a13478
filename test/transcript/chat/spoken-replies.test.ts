import { describe, expect, it } from 'vitest';

import { foldOpenAIChat } from '../../../src/adapters/llm/index.ts';
import { InterruptController } from '../../../src/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { checkTranscript, Conversation, repair } from '../../../src/transcript/index.ts';

const audio = { id: 'audio_1', data: 'AAAA', expires_at: 1, transcript: 'Hel' };
const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }];
const said = (message: object) => ({
  choices: [{ finish_reason: 'stop', message: { role: 'assistant', ...message } }],
});

async function replyOf(message: object, isCut = false): Promise<unknown> {
  const chat = new Conversation(openaiChat);
  const agent = new InterruptController();
  await chat.runTurn(agent, 'Hi.', (turn) =>
    turn.model((context) => {
      if (!isCut) return said(message);
      context.partial({ message: { role: 'assistant', ...message }, isComplete: false });
      agent.cancel('user');
      throw context.signal.reason;
    }),
  );
  expect(checkTranscript(chat.messages, { dialect: openaiChat })).toEqual([]);
  return chat.messages[1];
}

describe('a reply that is more than text', () => {
  it('of speech goes back by its id', async () => {
    expect(await replyOf({ content: null, audio })).toEqual({
      ...{ role: 'assistant', content: null },
      audio: { id: 'audio_1' },
    });
  });

  it('of speech that was cut goes back as its words, with a mark', async () => {
    const content = expect.stringMatching(/^Hel\n\n\[This reply was cut off/) as string;
    expect(await replyOf({ content: null, audio }, true)).toEqual({ role: 'assistant', content });
  });

  it('of pictures alone is kept, with words', async () => {
    expect(await replyOf({ content: '', images })).toEqual({
      ...{ role: 'assistant', content: '[You made a picture here.]' },
      images,
    });
  });

  it('is left as it is where a request can hold it', () => {
    const messages = [
      { role: 'user' as const, content: 'Hi.' },
      { role: 'assistant' as const, content: null, audio: { id: 'audio_1' } },
      { role: 'assistant' as const, content: 'Here.', images },
    ];
    expect(repair(messages, { dialect: openaiChat }).messages).toEqual(messages);
  });
});

describe('speech that streams', () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [
    chunk({ role: 'assistant', audio: { id: 'audio_1', transcript: 'I have ' } }),
    chunk({ audio: { data: 'AAAA' } }),
    chunk({ audio: { transcript: 'paid' } }),
  ];

  it.each([
    ['a stop', [], /^I have paid\n\n\[This reply was cut off/],
    ['a limit', [chunk({}, 'length')], /^I have paid$/],
  ])('keeps its words where it was cut by %s', async (_what, end, content) => {
    const fold = foldOpenAIChat();
    for (const one of [...chunks, ...end]) fold.add(one);
    const chat = new Conversation(openaiChat);
    const agent = new InterruptController();
    await chat.runTurn(agent, 'Speak.', (turn) =>
      turn.model(({ partial, signal }) => {
        if (end.length > 0) return fold.value;
        partial(fold.value);
        agent.cancel('user');
        throw signal.reason;
      }),
    );
    const match = expect.stringMatching(content) as string;
    expect(chat.messages[1]).toEqual({ role: 'assistant', content: match });
  });
});
