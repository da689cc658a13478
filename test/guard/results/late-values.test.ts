import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { guardTool } from '../../../src/guard/index.ts';
import { noted, noteOf, ofItsKind, toldValue, type Completed } from '../../../src/guard/results/late-values.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { stage, tick } from '../../core/interrupt/kit.ts';

const dialect = openaiChat;
const late = (value: unknown): Completed => ({
  ...{ id: 'a', name: 'look', call: {}, ms: 1, value, reason: createReason('user') },
  ...{ status: 'completed', afterStop: true },
});
const note = noteOf(late(''), dialect);
const text = { type: 'text', text: note };
const image = { type: 'image', image: 'data:' };

describe('a late value', () => {
  it.each<[string, unknown, unknown]>([
    ['a text', 'half', `half\n${note}`],
    ['data', { type: 'row', id: 1 }, `{"type":"row","id":1}\n${note}`],
    ['a list without parts', [{ type: 'row' }, 1], `[{"type":"row"},1]\n${note}`],
    ['a part', image, [image, text]],
    ['parts', [image], [image, text]],
    ['what has parts', { content: [image], isError: false }, { content: [image, text], isError: false }],
    ['what has none yet', { content: [] }, { content: [text] }],
    ['what has a text', { content: 'half', id: 1 }, { content: `half\n${note}`, id: 1 }],
    ['what has neither', { content: 4 }, `{"content":4}\n${note}`],
  ])('a late value that is %s has the note', (_what, value, expected) => {
    expect(toldValue(late(value), { dialect })).toEqual(expected);
  });

  it.each(['textBlock', 'jsonBlock'])('a late value of a %s has its note as a block, and is not changed', (type) => {
    const given = { type: 'toolResultBlock', content: [{ type }] };
    const told = toldValue(late(given), { dialect }) as typeof given;
    expect(told.content).toEqual([{ type }, { type: 'textBlock', text: note }]);
    expect([JSON.stringify(told.content[1]), given.content.length]).toEqual([JSON.stringify({ text: note }), 1]);
  });

  it('a late value of a content and an artifact keeps the artifact', () => {
    const toResult = (said: string): unknown => [said, undefined];
    expect(toldValue(late([{ id: 1 }, 'kept']), { dialect, toResult })).toEqual([`{"id":1}\n${note}`, 'kept']);
    expect(toldValue(late(['half', 'kept']), { dialect, isPair: true })).toEqual([`half\n${note}`, 'kept']);
    expect(toldValue(late(4), { dialect, toResult })).toEqual([`4\n${note}`, undefined]);
  });

  it('a late value is one that came after the stop of its call', () => {
    const { afterStop: _stop, ...other } = late(1);
    expect([toldValue(late(1), { dialect }), toldValue(other, { dialect })]).toEqual([`1\n${note}`, 1]);
    expect([noted('a', 'b'), noted('', 'b')]).toEqual(['a\nb', 'b']);
  });

  it('a late value that a program works with stays what it is, and only a text or parts have the note', () => {
    for (const value of [{ url: 'x' }, ['a.ts'], 41, undefined]) expect(ofItsKind(late(value), dialect)).toBe(value);
    expect(ofItsKind(late('half'), dialect)).toBe(`half\n${note}`);
    expect(ofItsKind(late({ content: [image] }), dialect)).toEqual({ content: [image, text] });
  });

  it('a late value that a generator returns is returned with the note', async () => {
    const { agent } = stage();
    const read = guardTool(
      async function* (_options: object): AsyncGenerator<string, object> {
        yield 'half';
        agent.cancelCall('a', 'user');
        await tick();
        return { content: [image] };
      },
      { dialect },
    );
    const report = await agent.runTurn(async ({ signal }) => {
      const pieces = read({ signal, toolCallId: 'a' });
      return [await pieces.next(), await pieces.next()];
    });
    expect(report.unwrap()).toEqual([
      { done: false, value: 'half' },
      { done: true, value: { content: [image, text] } },
    ]);
  });
});
