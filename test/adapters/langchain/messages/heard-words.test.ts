import { describe, expect, it } from 'vitest';
import { HeardWords, type SaidWords } from '../../../../src/adapters/langchain/messages/heard-words.ts';

interface Handler {
  readonly name: string;
  readonly awaitHandlers: boolean;
  handleLLMNewToken(token: string, ...rest: unknown[]): void;
  handleChatModelStreamEvent(event: object): void;
}

const said = (text: string): SaidWords => ({ text, message: { role: 'assistant', content: text } });

it('keeps what tools of the provider gave, with words or without', () => {
  const output = { type: 'mcp_call', id: 'm', output: 'paid' };
  const message = { role: 'assistant', content: '', additional_kwargs: { tool_outputs: [output] } };
  const words = new HeardWords();
  expect(words.add({ content: '', additional_kwargs: { tool_outputs: [output] } })).toEqual({ text: '', message });
  expect(words.add({ content: 'Done' })).toEqual({ text: 'Done', message: { ...message, content: 'Done' } });
});

it('is the text of the chunks, strings and text parts alike; nothing before the first word', () => {
  const words = new HeardWords();
  expect(words.add({ content: '' })).toBeUndefined();
  expect(words.add(null)).toBeUndefined();
  expect(words.add({ content: 'one' })).toEqual(said('one'));
  expect(words.add({ content: [{ type: 'text', text: ' two' }, { type: 'image' }] })).toEqual(said('one two'));
});

it('of an object is its text, and the arguments of the call that stands for it', () => {
  const words = new HeardWords(true);
  expect(words.add({ content: '', tool_call_chunks: [{ name: 'city', args: '' }] })).toBeUndefined();
  expect(words.add({ content: [], tool_call_chunks: [{ args: '{"city":' }, { args: undefined }] })).toEqual(
    said('{"city":'),
  );
  expect(words.add({ content: '"Rome"' })).toEqual(said('{"city":"Rome"'));
  expect(new HeardWords().add({ content: '', tool_call_chunks: [{ args: '{}' }] })).toBeUndefined();
});

describe('behind an invoke', () => {
  function listen(callbacks: unknown) {
    const heard: (SaidWords | undefined)[] = [];
    const all = new HeardWords().listening(callbacks, (words) => heard.push(words));
    return { heard, all };
  }

  it.each([[undefined], [[]], [[{ name: 'other' }]]])('listens beside callbacks in a list, %o', (callbacks) => {
    const { heard, all } = listen(callbacks);
    expect(all).toHaveLength((callbacks?.length ?? 0) + 1);
    const handler = (all as Handler[]).at(-1) as Handler;
    expect([handler.name, handler.awaitHandlers]).toEqual(['desist', true]);
    handler.handleLLMNewToken('one');
    handler.handleLLMNewToken('ignored', {}, 'run', 'parent', [], { chunk: { message: { content: ' two' } } });
    handler.handleChatModelStreamEvent({ event: 'content-block-delta', delta: { type: 'text-delta', text: ' three' } });
    handler.handleChatModelStreamEvent({ event: 'content-block-delta', delta: { type: 'reasoning-delta', text: '?' } });
    handler.handleChatModelStreamEvent({ event: 'message-finish' });
    expect(heard.map((words) => words?.text)).toEqual(['one', 'one two', ...Array<string>(3).fill('one two three')]);
  });

  it('listens in a copy of a manager, for the models below it too', () => {
    const copies: unknown[] = [];
    const manager = {
      copy(handlers: readonly object[], inherit: boolean) {
        copies.push([handlers.length, inherit]);
        return 'the copy';
      },
    };
    expect(listen(manager).all).toBe('the copy');
    expect(copies).toEqual([[1, true]]);
  });
});
