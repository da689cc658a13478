import { expect, it } from 'vitest';

import { resultFromAnswer, resultFromTranscript } from '../../../src/transcript/items/results.ts';

it('passes on what a shell tool gives already', () => {
  const value = [{ stdout: 'a', stderr: '', outcome: { type: 'timeout' } }];
  expect(resultFromAnswer({ type: 'shell_call' }, 's', { status: 'completed', value })).toMatchObject([
    { output: value },
  ]);
  expect(resultFromAnswer({ type: 'function_call' }, 's', { status: 'completed', value })).toMatchObject([
    { output: JSON.stringify(value) },
  ]);
});

it('keeps a legal result as the same object', () => {
  const result = { type: 'function_call_output', call_id: 'a', output: 'ok' };
  expect(resultFromTranscript('function_call', 'a', [result])).toBe(result);
  expect(resultFromTranscript('function_call', 'a', [result, { ...result }])).toBe(result);
});

it.each([
  ['shell_call', { type: 'shell_call_output', output: 'text' }, { output: [{ stdout: '', stderr: 'text' }] }],
  ['apply_patch_call', { type: 'apply_patch_call_output', output: 'text' }, { status: 'failed', output: 'text' }],
  ['apply_patch_call', { type: 'function_call_output', output: 'text' }, { status: 'completed', output: 'text' }],
  ['custom_tool_call', { type: 'shell_call_output', output: [{ stdout: 'files' }] }, { output: 'files' }],
  ['function_call', { type: 'function_call_output' }, { output: '' }],
])('makes %s legal: %j', (type, result, expected) => {
  expect(resultFromTranscript(type, 'a', [result])).toMatchObject({
    type: `${type}_output`,
    call_id: 'a',
    ...expected,
  });
});

it('says behind a picture of nothing what became of a call that wanted one of the screen', () => {
  const call = { type: 'computer_call', call_id: 'a', action: { type: 'wait' } };
  const screen = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA' };
  const output = { type: 'computer_call_output', call_id: 'a' };
  expect(resultFromAnswer(call, 'a', { status: 'completed', value: screen })).toEqual([{ ...output, output: screen }]);
  const { image_url: value } = screen;
  expect(resultFromAnswer(call, 'a', { status: 'completed', value })).toEqual([{ ...output, output: screen }]);
  const [picture, words] = resultFromAnswer(call, 'a', { status: 'stopped', text: 'It was stopped.' });
  expect(picture).toMatchObject({ ...output, output: { type: 'computer_screenshot' } });
  expect(words).toEqual({ type: 'message', role: 'user', content: '[a: It was stopped.]' });
  expect(resultFromAnswer(call, 'a', { status: 'completed', value: 'clicked' })[1]).toMatchObject({
    content: '[a: clicked]',
  });
});

it('keeps the last picture of the screen, and has one of nothing where there is none', () => {
  const shown = (output: unknown) => ({ type: 'computer_call_output', call_id: 'a', output });
  expect(resultFromTranscript('computer_call', 'a', [shown({ n: 1 }), shown({ n: 2 }), shown('x')])).toEqual(
    shown({ n: 2 }),
  );
  expect(resultFromTranscript('computer_call', 'a', [shown('x')])).toMatchObject(
    shown({ type: 'computer_screenshot' }),
  );
});

it('takes only what has the fields of a content part for one', () => {
  const files = [{ type: 'input_file', name: 'a.txt', size: 4 }];
  const told = (value: unknown) => resultFromAnswer({ type: 'function_call' }, 'a', { status: 'completed', value });
  expect(told(files)).toMatchObject([{ output: JSON.stringify(files) }]);
  for (const part of [
    { type: 'input_text', text: 'x' },
    { type: 'input_file', file_url: 'u' },
  ]) {
    expect(told([part])).toMatchObject([{ output: [part] }]);
  }
});
