import { describe, expect, it } from 'vitest';

import { isShown, ToldForms } from '../../../src/guard/results/told-forms.ts';

type Form = (given: unknown) => unknown;

/** A tool of the AI SDK, and what its forms say once a value of the call `a` was late. */
function toolWith(toModelOutput?: Form) {
  const tool = { inputSchema: {}, execute: () => undefined, ...(toModelOutput && { toModelOutput }) };
  const forms = new ToldForms();
  const shown = forms.around(tool) as typeof tool & { readonly toModelOutput: Form };
  const keep = (value: unknown, id = 'a'): void => {
    forms.keep(id, { result: value, note: 'NOTE' });
  };
  const show = (output: unknown, toolCallId = 'a'): unknown => shown.toModelOutput({ toolCallId, input: {}, output });
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
      expect(await show(value, 'b')).toEqual(form);
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
    for (let n = 0; n < 1000; n++) keep({}, String(n));
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

  it('the form of a late value is no other call’s, where that has its id, and none is asked of words', () => {
    const { forms, keep, show } = toolWith(() => ({ type: 'text', value: 'own' }));
    keep('ok');
    forms.keep('a', undefined);
    expect(show('ok')).toEqual({ type: 'text', value: 'own' });
    forms.keep('a', { result: 'Stopped.', words: 'Stopped.' });
    expect(show('Stopped.')).toEqual({ type: 'text', value: 'Stopped.' });
    expect(show('ok')).toEqual({ type: 'text', value: 'own' });
  });
});
