import { describe, expect, it } from 'vitest';

import { betterOf, partFromAnswer, withLegalEnd } from '../../../../../src/transcript/dialects/ai-sdk/ui/ui-parts.ts';

const call = (state: string, more: object = {}) => ({
  type: 'tool-read',
  toolCallId: 'a',
  state,
  input: { x: 1 },
  ...more,
});
const granted = { approval: { id: 'q', approved: true } };
const open = { approval: { id: 'q' } };

describe('partFromAnswer', () => {
  it.each<[object, object]>([
    [{}, {}],
    [open, {}],
    [granted, granted],
  ])('of %j keeps only what the new end allows', (given, kept) => {
    expect(partFromAnswer(call('input-available', given), { status: 'completed', value: 7 })).toEqual(
      call('output-available', { output: 7, ...kept }),
    );
    expect(partFromAnswer(call('input-available', given), { status: 'stopped', text: 'x' })).toEqual(
      call('output-error', { errorText: 'x', ...kept }),
    );
  });

  it('a refusal is one where the part holds the question, else an error', () => {
    const declined = { status: 'declined', text: 'no' } as const;
    expect(partFromAnswer(call('approval-requested', open), declined)).toEqual(
      call('output-denied', { approval: { id: 'q', approved: false, reason: 'no' } }),
    );
    expect(partFromAnswer(call('input-available'), declined)).toEqual(call('output-error', { errorText: 'no' }));
  });

  it('leaves nothing of the state before: no half input, no half output', () => {
    const half = { rawInput: '{"', inputEncoding: 'json', preliminary: true, output: 'half', title: 'Read' };
    expect(partFromAnswer(call('input-streaming', half), { status: 'completed', value: undefined })).toEqual(
      call('output-available', { title: 'Read', input: {}, output: null }),
    );
  });
});

describe('the end of a call', () => {
  it.each<[object, object]>([
    [call('output-error'), call('output-error', { errorText: 'This call failed without saying why.' })],
    [call('output-error', { errorText: 'x', ...open }), call('output-error', { errorText: 'x' })],
    [call('output-available', { output: 1, ...open }), call('output-available', { output: 1 })],
    [call('output-available'), call('output-available', { output: null })],
    [call('output-available', open), call('output-available', { output: null })],
    [call('output-denied'), call('output-error', { errorText: 'This call failed without saying why.' })],
  ])('%j is made legal', (part, legal) => {
    expect(withLegalEnd(part as never)).toEqual(legal);
  });

  it.each<[object]>([
    [call('output-error', { errorText: 'no' })],
    [call('output-available', { output: undefined, ...granted })],
    [call('output-denied', { approval: { id: 'q', approved: false } })],
    [call('input-available', open)],
  ])('%j is left', (part) => {
    expect(withLegalEnd(part as never)).toBe(part);
  });
});

describe('betterOf', () => {
  const waiting = call('input-available');
  const done = call('output-available', { output: 1 });

  it('takes the finished one, else the first', () => {
    expect(betterOf(waiting, done)).toBe(done);
    expect(betterOf(done, waiting)).toBe(done);
    expect(betterOf(waiting, { ...waiting })).toBe(waiting);
    expect(betterOf(done, { ...done })).toBe(done);
  });

  it('lets both stay where they are two calls', () => {
    expect(betterOf(done, call('output-available', { output: 2 }))).toBeUndefined();
    expect(betterOf(waiting, { ...done, providerExecuted: true } as never)).toBeUndefined();
  });
});
