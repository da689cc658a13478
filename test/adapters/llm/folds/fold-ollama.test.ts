import { expect, it } from 'vitest';
import { foldOllama, type OllamaChunk, type OllamaReply } from '../../../../src/adapters/llm/folds/fold-ollama.ts';

const say = (message: OllamaChunk['message']): OllamaChunk => ({ message, done: false });
const call = { function: { name: 'read', arguments: { path: 'a' } } };
const said = [say({ thinking: 'Hm.' }), say({ content: 'Let me ' }), say({ content: 'look.' })];
const called = [say({ content: '', tool_calls: [call] })];
const last: OllamaChunk = {
  message: { content: '' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 9,
  eval_count: 30,
};

function fold(chunks: readonly OllamaChunk[]): OllamaReply {
  const state = foldOllama();
  for (const chunk of chunks) state.add(chunk);
  return state.value;
}

it('folds a whole stream into the message the server would have sent', () => {
  expect(fold([...said, ...called, last])).toEqual({
    message: { role: 'assistant', content: 'Let me look.', thinking: 'Hm.', tool_calls: [call] },
    calls: [call],
    fragments: [],
    text: 'Let me look.',
    stopReason: 'stop',
    isComplete: true,
    usage: { isExact: true, inputTokens: 9, outputTokens: 30, reported: last },
  });
});

it('keeps what a cut left, and says that it is no end', () => {
  expect(fold(said.slice(0, 2))).toMatchObject({
    message: { role: 'assistant', content: 'Let me ', thinking: 'Hm.' },
    stopReason: undefined,
    isComplete: false,
  });
  expect(fold([]).message).toEqual({ role: 'assistant', content: '' });
});

it('S16 counts at least what came, never 0', () => {
  expect(fold([]).usage).toEqual({ isExact: false, inputTokens: undefined, outputTokens: undefined });
  expect(fold(said).usage).toEqual({ isExact: false, inputTokens: undefined, outputTokens: 3 });
  expect(fold(called).usage.outputTokens).toBe(1);
});

it('keeps what a message holds besides', () => {
  const image = { images: ['AAAA'] } as OllamaChunk['message'];
  expect(fold([say({ content: 'See.' }), say(image), last]).message).toEqual({
    ...{ role: 'assistant', content: 'See.', images: ['AAAA'] },
  });
});

it('joins calls of several chunks, and survives chunks that say nothing', () => {
  expect(fold([...called, ...called, {}, { done: false }]).calls).toEqual([call, call]);
});

it('gives a new value each time, and never changes an old one', () => {
  const state = foldOllama();
  for (const chunk of [...said, ...called]) state.add(chunk);
  const before = state.value;
  const copy = structuredClone(before);
  for (const chunk of [...said, ...called, last]) state.add(chunk);
  expect(before).toEqual(copy);
});
