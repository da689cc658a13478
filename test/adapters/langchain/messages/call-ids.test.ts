import { describe, expect, it } from 'vitest';
import { CallIds } from '../../../../src/adapters/langchain/messages/call-ids.ts';
import { messageOfResult } from '../../../../src/adapters/langchain/messages/replies.ts';

/** Ids as a conversation gives them that has these already. */
function idsOf(...taken: string[]) {
  const known = new Set(taken);
  return new CallIds((given) => {
    let id = given === '' ? 'call' : given;
    for (let n = 2; known.has(id); n += 1) id = `${given}_${String(n)}`;
    known.add(id);
    return id;
  });
}

const call = (id?: string) => ({ id, name: 'pay', args: {}, type: 'tool_call' });

describe('the calls of an answer', () => {
  it('keep the ids that nobody else has, and the message is the same object', () => {
    const message = { content: 'Paying.', tool_calls: [call('a'), call('b')] };
    expect(idsOf().message(message)).toBe(message);
    expect(new CallIds().message({ tool_calls: [call('a')] })).toEqual({ tool_calls: [call('a')] });
    expect(idsOf('a').message('words')).toBe('words');
  });

  it('have their own in every place, also where two of them share one', () => {
    const message = {
      content: [
        { type: 'text', text: 'x' },
        { type: 'tool_use', id: 'a' },
        { type: 'tool_use', id: 'a' },
      ],
      tool_calls: [call('a'), call('a')],
      additional_kwargs: {
        tool_calls: [
          { id: 'a', function: { name: 'pay' } },
          { id: 'a', function: {} },
        ],
        more: 1,
      },
    };
    expect(idsOf('a').message(message)).toEqual({
      content: [
        { type: 'text', text: 'x' },
        { type: 'tool_use', id: 'a_2' },
        { type: 'tool_use', id: 'a_3' },
      ],
      tool_calls: [call('a_2'), call('a_3')],
      additional_kwargs: {
        tool_calls: [
          { id: 'a_2', function: { name: 'pay' } },
          { id: 'a_3', function: {} },
        ],
        more: 1,
      },
    });
    expect(message.tool_calls).toEqual([call('a'), call('a')]);
  });

  it('get one where the model gave none', () => {
    expect(
      idsOf()
        .message({ tool_calls: [call(), call('')] })
        .tool_calls.map(({ id }) => id),
    ).toEqual(['call', '_2']);
  });

  it('keep theirs over the chunks of a stream, by their places', () => {
    const ids = idsOf('a');
    const chunk = (index: number, id?: string) => ({ tool_call_chunks: [{ index, id, name: id && 'pay', args: '{' }] });
    const given = [chunk(0, 'a'), chunk(0), chunk(1, 'a'), chunk(1), chunk(0, 'a')];
    expect(given.map((one) => ids.message(one).tool_call_chunks[0]?.id)).toEqual([
      'a_2',
      undefined,
      'a_3',
      undefined,
      'a_2',
    ]);
  });

  it('have one in the whole of a stream as in its chunks', () => {
    const message = {
      content: [{ type: 'tool_use', index: 1, id: 'a' }],
      tool_call_chunks: [{ index: 1, id: 'a', name: 'pay' }],
      tool_calls: [call('a')],
    };
    const own = idsOf('a').message(message);
    expect([own.content[0]?.id, own.tool_call_chunks[0]?.id, own.tool_calls[0]?.id]).toEqual(['a_2', 'a_2', 'a_2']);
  });

  it('are renamed in the result for one prompt', () => {
    const result = { generations: [[{ text: '', message: { tool_calls: [call('a')] } }]], llmOutput: {} };
    expect(messageOfResult(idsOf('a').result(result))).toEqual({ tool_calls: [call('a_2')] });
    expect(idsOf().result(result)).toBe(result);
    expect(idsOf('a').result({})).toEqual({});
  });

  it('keep theirs over the events of a stream, also where the id comes after the beginning', () => {
    const ids = idsOf('a');
    const block = (id: string) => ({ type: 'tool_call_chunk', id });
    const events = [
      { event: 'content-block-start', index: 0, content: block('') },
      { event: 'content-block-delta', index: 0, delta: { type: 'block-delta', fields: block('a') } },
      { event: 'content-block-finish', index: 0, content: { type: 'tool_call', id: 'a' } },
      { event: 'content-block-start', index: 1, content: { type: 'text', id: 'a' } },
      { event: 'content-block-finish', index: 2, content: { type: 'tool_call', id: 'a' } },
    ];
    expect(events.map((event) => ids.event(event as { event: string; index: number }))).toEqual([
      events[0],
      { ...events[1], delta: { type: 'block-delta', fields: block('a_2') } },
      { ...events[2], content: { type: 'tool_call', id: 'a_2' } },
      events[3],
      { ...events[4], content: { type: 'tool_call', id: 'a_3' } },
    ]);
  });
});
