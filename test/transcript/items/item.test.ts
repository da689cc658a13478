import { describe, expect, it } from 'vitest';

import {
  callIdOf,
  hasWholeArguments,
  isOutput,
  isProduced,
  isPrompt,
  nameOf,
  requireItem,
  textsOf,
  typeOf,
  withoutArguments,
  type OpenAIResponsesItem,
} from '../../../src/transcript/items/item.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;
const item = (type: string, more: object = {}): Item => ({ type, ...more });

describe('reading an item', () => {
  it('takes one without a type for a message', () => {
    expect([typeOf({ role: 'user' }), typeOf({ type: null })]).toEqual(['message', 'message']);
    expect([isPrompt({ role: 'developer' }), isPrompt({ role: 'assistant' })]).toEqual([true, false]);
  });

  it('tells what the model made from what it was given', () => {
    const made = ['reasoning', 'function_call', 'mcp_call', 'function_call_output', 'item_reference'];
    expect(made.map((type) => isProduced(item(type)))).toEqual([true, true, true, false, false]);
    expect(isOutput(item('shell_call_output'))).toBe(true);
  });

  it('names a call, and what links it', () => {
    expect([
      nameOf(item('function_call', { name: 'x' })),
      nameOf(item('function_call')),
      nameOf(item('shell_call')),
    ]).toEqual(['x', undefined, 'shell']);
    expect(callIdOf(item('local_shell_call_output', { id: 'l' }))).toBe('l');
    expect(callIdOf(item('function_call', { id: 'fc' }))).toBeUndefined();
  });

  it.each([
    [item('function_call', { arguments: '{"a' }), false],
    [item('function_call'), false],
    [item('custom_tool_call', { input: 'half' }), true],
    [item('shell_call', { action: {} }), true],
    [item('shell_call'), false],
    [item('apply_patch_call', { operation: {} }), true],
    [item('computer_call', { actions: [] }), true],
  ])('knows whole arguments: %j', (call, isWhole) => {
    expect(hasWholeArguments(call)).toBe(isWhole);
  });

  it('empties the arguments that can be empty', () => {
    expect(withoutArguments(item('function_call', { arguments: '{"a' }))).toEqual(
      item('function_call', { arguments: '{}' }),
    );
    expect(withoutArguments(item('custom_tool_call'))).toEqual(item('custom_tool_call', { input: '' }));
    expect(withoutArguments(item('shell_call'))).toBeUndefined();
  });

  it('reads every text', () => {
    expect(textsOf(item('message', { content: 'x' }))).toEqual(['x']);
    expect(
      textsOf(
        item('message', { content: [{ type: 'refusal', refusal: 'No.' }, { type: 'output_text', text: 'x' }, {}] }),
      ),
    ).toEqual(['No.', 'x', '']);
  });
});

it.each([
  ['x', 'messages[0] must be an object, got "x"'],
  [{}, 'messages[0] must have a type or a role, got undefined and undefined'],
  [{ role: 'user', content: [7] }, 'messages[0].content[0] must be an object, got 7'],
  [{ role: 'user', type: 5, content: 'y' }, 'messages[0].type must be a string, got 5'],
])('refuses %j', (value, message) => {
  expect(() => {
    requireItem('messages[0]', value);
  }).toThrow(new TypeError(message));
  requireItem('messages[0]', { id: 'fc_1' });
});
