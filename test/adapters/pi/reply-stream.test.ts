import { expect, it } from 'vitest';

import { ReplyStream } from '../../../src/adapters/pi/reply-stream.ts';
import type { ReplyEvent } from '../../../src/adapters/pi/shapes.ts';
import { replyOf, textPart } from './support/fake-pi.ts';

const partial = (text: string): ReplyEvent => ({ type: 'text_delta', partial: replyOf(textPart(text)) });

function streamed() {
  let left = 0;
  const stream = new ReplyStream(() => {
    left += 1;
  });
  return { stream, left: () => left };
}

async function typesOf(stream: ReplyStream): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}

it('gives its events in order, also those that come while it is read, and then its message', async () => {
  const { stream, left } = streamed();
  stream.give(partial('a'));
  const types = typesOf(stream);
  await Promise.resolve();
  stream.give(partial('ab'));
  const whole = replyOf(textPart('ab'));
  stream.done(whole);
  expect(await types).toEqual(['text_delta', 'text_delta', 'done']);
  expect([await stream.result(), left()]).toEqual([whole, 1]);
});

it('a failure ends it at once: what nobody has read is not given out', async () => {
  const { stream } = streamed();
  stream.give(partial('a'));
  const error = { ...replyOf(), stopReason: 'aborted' };
  stream.fail(error);
  expect(await typesOf(stream)).toEqual(['error']);
  expect(await stream.result()).toBe(error);
});

it('ends once: what comes behind its end changes nothing', async () => {
  const { stream } = streamed();
  const whole = replyOf(textPart('a'));
  stream.done(whole);
  stream.fail(replyOf());
  stream.give(partial('b'));
  stream.done(replyOf());
  expect(await typesOf(stream)).toEqual(['done']);
  expect(await stream.result()).toBe(whole);
});

it('tells when its reader leaves before the end', async () => {
  const { stream, left } = streamed();
  stream.give(partial('a'));
  for await (const { type } of stream) {
    expect(type).toBe('text_delta');
    break;
  }
  expect(left()).toBe(1);
});
