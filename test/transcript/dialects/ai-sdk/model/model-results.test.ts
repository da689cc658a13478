import { describe, expect, it } from 'vitest';

import {
  hasOutput,
  resultFromAnswer,
  resultFromTranscript,
} from '../../../../../src/transcript/dialects/ai-sdk/model/model-results.ts';
import type { Site } from '../../../../../src/transcript/reading/links.ts';

const base = { type: 'tool-result', toolCallId: 'a', toolName: 'read' };
const found = (...results: object[]): Site<{ type: string }> => ({
  ...{ id: 'a', name: 'read', at: 0, raw: {} },
  results: results.map((more, order) => ({ result: { ...base, ...more }, at: 1, order })),
});
const site = found();

describe('resultFromAnswer', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  it.each<[unknown, object]>([
    ['x', { type: 'text', value: 'x' }],
    [undefined, { type: 'json', value: null }],
    [
      { a: [1], b: undefined },
      { type: 'json', value: { a: [1] } },
    ],
    [7n, { type: 'json', value: '7' }],
    [
      { type: 'content', value: [1] },
      { type: 'json', value: { type: 'content', value: [1] } },
    ],
    [cyclic, { type: 'json', value: { self: '[Circular]' } }],
    [
      { type: 'content', value: [{ type: 'text', text: 'x' }] },
      { type: 'content', value: [{ type: 'text', text: 'x' }] },
    ],
  ])('a value becomes an output %#', (value, output) => {
    expect(resultFromAnswer(site, { status: 'completed', value })).toEqual({ ...base, output });
  });

  it('an answer in words is an error, a refusal by the person a refusal', () => {
    expect(resultFromAnswer(site, { status: 'stopped', text: 'x' })).toEqual({
      ...base,
      output: { type: 'error-text', value: 'x' },
    });
    expect(resultFromAnswer(site, { status: 'declined', text: 'x' })).toEqual({
      ...base,
      output: { type: 'execution-denied', reason: 'x' },
    });
  });
});

describe('resultFromTranscript', () => {
  const text = (value: string) => ({ output: { type: 'text', value } });

  it('keeps a legal one', () => {
    const legal = found(text('x'));
    expect(resultFromTranscript(legal)).toBe(legal.results[0]?.result);
  });

  it.each<[object[], object]>([
    [[text('x'), text('x')], { type: 'text', value: 'x' }],
    [[text('x'), text('y')], { type: 'text', value: 'x\n\ny' }],
    [
      [text('x'), { output: { type: 'execution-denied', reason: 'no' } }, { output: { type: 'json', value: 1 } }],
      { type: 'content', value: ['x', 'no', '1'].map((one) => ({ type: 'text', text: one })) },
    ],
    [
      [{ output: { type: 'content', value: [{ type: 'file' }] } }, text('x')],
      { type: 'content', value: [{ type: 'file' }, { type: 'text', text: 'x' }] },
    ],
  ])('joins several %#', (results, output) => {
    expect(resultFromTranscript(found(...results))).toEqual({ ...base, output });
  });

  it('gives one without a form the form', () => {
    expect(resultFromTranscript(found({ result: { old: true } }))).toEqual({
      ...base,
      output: { type: 'json', value: { old: true } },
    });
    expect([hasOutput({ type: 'x' }), hasOutput({ ...base, ...text('x') })]).toEqual([false, true]);
  });
});
