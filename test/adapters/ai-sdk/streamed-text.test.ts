import { expect, it } from 'vitest';
import { StreamedText, type AIStreamPart } from '../../../src/adapters/ai-sdk/streamed-text.ts';

function streamOf(parts: readonly object[]): ReadableStream<AIStreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part as AIStreamPart);
      controller.close();
    },
  });
}

it('keeps the text of its round', () => {
  const said = new StreamedText();
  expect(said.add({ type: 'stream-start' })).toBeUndefined();
  said.add({ type: 'text-delta', id: '1', delta: 'Hel' } as AIStreamPart);
  expect(said.add({ type: 'text-delta', id: '1', delta: 'lo' } as AIStreamPart)).toEqual({
    text: 'Hello',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
  });
  expect(said.add({ type: 'reasoning-delta', id: '2', delta: 'hm' } as AIStreamPart)?.text).toBe('Hello');
});

it('closes what is open, once, in the order of its opening', () => {
  const said = new StreamedText();
  for (const part of [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: 't' },
    { type: 'tool-input-start', id: 'c', toolName: 'x' },
  ])
    said.add(part);
  expect(said.close()).toEqual([
    { type: 'text-end', id: 't' },
    { type: 'tool-input-end', id: 'c' },
  ]);
  expect(said.close()).toEqual([]);
});

it('starts once, whatever the rounds; a round’s text is its own', async () => {
  const said = new StreamedText();
  const types: string[] = [];
  for (const delta of ['one', 'two']) {
    for await (const part of said.next(
      streamOf([{ type: 'stream-start' }, { type: 'text-delta', delta }, { type: 'finish' }]),
    )) {
      types.push(part.type);
      said.add(part);
    }
  }
  expect(types).toEqual(['stream-start', 'text-delta', 'finish', 'text-delta', 'finish']);
  expect(said.add({ type: 'ping' })?.text).toBe('two');
});

it('closes a stream that its reader leaves', async () => {
  let cancelled = false;
  const stream = new ReadableStream<AIStreamPart>({
    pull(controller) {
      controller.enqueue({ type: 'ping' });
    },
    cancel() {
      cancelled = true;
    },
  });
  for await (const part of new StreamedText().next(stream)) if (part.type === 'ping') break;
  expect(cancelled).toBe(true);
});

it('keeps what only the opening of a block says: a sealed thought has no words and no end of its own', () => {
  const said = new StreamedText();
  const providerMetadata = { anthropic: { redactedData: 'x' } };
  said.add({ type: 'reasoning-start', id: '0', providerMetadata } as AIStreamPart);
  said.add({ type: 'reasoning-end', id: '0' } as AIStreamPart);
  expect(said.content).toEqual([{ type: 'reasoning', text: '', providerMetadata }]);
});
