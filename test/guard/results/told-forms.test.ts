import { describe, expect, it } from 'vitest';

import { isShown, ownOf, ToldForms } from '../../../src/guard/results/told-forms.ts';

type Form = (given: unknown) => unknown;

/** A tool of the AI SDK, and what its forms say once a value of the call `a` was late. */
function toolWith(toModelOutput?: Form) {
  const tool = { inputSchema: {}, execute: () => undefined, ...(toModelOutput && { toModelOutput }) };
  const forms = new ToldForms();
  const shown = forms.around(tool) as typeof tool & { readonly toModelOutput: Form };
  const keep = (value: unknown, result = value): void => {
    forms.keep(result, { value, note: 'NOTE' });
  };
  const show = (output: unknown): unknown => shown.toModelOutput({ toolCallId: 'a', input: {}, output });
  return { forms, keep, show, shown };
}

describe('the form of a late value', () => {
  it.each<[unknown, unknown]>([
    [
      { type: 'text', value: 'own' },
      { type: 'text', value: 'own\nNOTE' },
    ],
    [
      { type: 'json', value: { id: 1 } },
      { type: 'text', value: '{"id":1}\nNOTE' },
    ],
    [
      { type: 'error-text', value: 'no' },
      { type: 'error-text', value: 'no\nNOTE' },
    ],
    [
      { type: 'error-json', value: [1] },
      { type: 'error-text', value: '[1]\nNOTE' },
    ],
    [
      { type: 'content', value: [] },
      { type: 'content', value: [{ type: 'text', text: 'NOTE' }] },
    ],
    [{ type: 'execution-denied' }, { type: 'execution-denied' }],
  ])('the form of a late value %j has the note', async (form, expected) => {
    const value = {};
    for (const made of [form, Promise.resolve(form)]) {
      const { keep, show } = toolWith(() => made);
      keep(value);
      expect(await show(value)).toEqual(expected);
      expect(await show({})).toEqual(form);
    }
  });

  it('the form of a late value is that of the SDK where the tool has none, and that of no other value is another', () => {
    const { keep, show, shown } = toolWith();
    const value = { id: 1 };
    keep(value);
    expect(show(value)).toEqual({ type: 'text', value: '{"id":1}\nNOTE' });
    expect(['half', { id: 1 }, undefined].map((one) => show(one))).toEqual([
      { type: 'text', value: 'half' },
      { type: 'json', value: { id: 1 } },
      { type: 'json', value: null },
    ]);
    expect({ ...shown }).toHaveProperty('toModelOutput');
  });

  it('the form of a late value is found by the value where the call is not named', () => {
    const { keep, shown } = toolWith((output) => ({ type: 'json', value: output }));
    const value = { id: 1 };
    keep(value);
    expect(shown.toModelOutput(value)).toEqual({ type: 'text', value: '{"id":1}\nNOTE' });
  });

  it('the form of a late value is forgotten behind a thousand others', () => {
    const { keep, show } = toolWith();
    const value = {};
    keep(value);
    for (let n = 0; n < 1000; n++) keep({});
    expect(show(value)).toEqual({ type: 'json', value });
  });

  it('the form of a late value is not waited for where nobody asks', () => {
    const options = [{}, { toolCallId: 'a', messages: [] }];
    const execute = (): void => undefined;
    const tool = { inputSchema: {}, execute };
    expect(isShown(tool, options, {})).toBe(true);
    expect(isShown(tool, options, 'half')).toBe(false);
    expect(isShown({ invoke: execute }, options, {})).toBe(false);
    expect(isShown({ execute }, options, {})).toBe(false);
    expect(isShown(tool, [{}, {}], {})).toBe(false);
    const { forms } = toolWith();
    const other = { invoke: () => undefined };
    expect(forms.around(other)).toBe(other);
    expect(forms.aroundAll({ other, none: undefined })).toEqual({ other, none: undefined });
  });

  it('the form of a late value is made of the value, which a result stands for that no other call gives', () => {
    const { keep, show, shown } = toolWith((given) => {
      const { output = given } = given as { readonly output?: unknown };
      return { type: 'text', value: `own ${String(output)}` };
    });
    keep('ok', 'ok, but late');
    expect([show('ok'), shown.toModelOutput('ok')]).toEqual(Array(2).fill({ type: 'text', value: 'own ok' }));
    const noted = { type: 'text', value: 'own ok\nNOTE' };
    expect([show('ok, but late'), shown.toModelOutput('ok, but late')]).toEqual([noted, noted]);
  });

  it('no form is asked of words', () => {
    const { forms, show } = toolWith(() => ({ type: 'text', value: 'own' }));
    const result = { content: 'Stopped.' };
    forms.keep(result, { words: 'Stopped.' });
    expect(show(result)).toEqual({ type: 'text', value: 'Stopped.' });
  });

  it('what stands for data is a copy of it, and what has a class is itself', () => {
    const list = [1];
    const record = Object.freeze({ id: 1 });
    const day = new Date(0);
    expect([list, record, day].map(ownOf)).toEqual([list, record, day]);
    expect([list, record, day].map((each) => ownOf(each) === each)).toEqual([false, false, true]);
  });
});
