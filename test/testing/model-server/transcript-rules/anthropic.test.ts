import { describe, expect, it } from 'vitest';
import { refuseAnthropic } from '../../../../src/testing/model-server/transcript-rules/anthropic.ts';
import { signThought } from '../../../../src/testing/model-server/transcript-rules/thought-signature.ts';

const user = { role: 'user', content: 'Go.' };

describe('refuseAnthropic', () => {
  const ask = (...ids: string[]) => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 't', input: {} })),
  });
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
  const answer = (...content: unknown[]) => ({ role: 'user', content });
  const refuse = (...messages: unknown[]) => refuseAnthropic({ model: 'm', max_tokens: 1, messages });

  it('refuseAnthropic reads no half of a character', () => {
    expect(refuse({ role: 'user', content: 'x\ud83d' })).toMatch(
      /^The request body is not valid JSON: no low surrogate in/,
    );
    expect(refuse({ role: 'user', content: String.raw`🚀 \ud83d` })).toBeUndefined();
  });

  it('refuseAnthropic accepts a clean tool cycle with text after the results', () => {
    expect(
      refuse(user, ask('a', 'b'), answer(result('b'), result('a'), { type: 'text', text: 'Stop.' }), {
        role: 'assistant',
        content: 'Fine.',
      }),
    ).toBeUndefined();
  });

  it.each([
    ['model', { max_tokens: 1, messages: [user] }],
    ['max_tokens', { model: 'm', messages: [user] }],
    ['messages', { model: 'm', max_tokens: 1 }],
  ])('refuseAnthropic asks for %s', (field, body) => {
    expect(refuseAnthropic(body)).toBe(`${field}: Field required`);
  });

  it.each([
    ['a use without a result', [user, ask('a'), user]],
    ['a use at the very end', [user, ask('a')]],
    ['a result after the text', [user, ask('a'), answer({ type: 'text', text: 'x' }, result('a'))]],
    ['one of two results', [user, ask('b', 'a'), answer(result('b'))]],
    ['a result one message too late', [user, ask('a'), user, answer(result('a'))]],
  ])('refuseAnthropic refuses %s', (_name, messages) => {
    expect(refuse(...messages)).toBe(
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. ' +
        'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    );
  });

  it('refuseAnthropic refuses a result that nothing asked for, and a second one', () => {
    expect(refuse(user, { role: 'assistant', content: 'Hi' }, answer(result('z')))).toBe(
      'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: z. ' +
        'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    );
    expect(refuse(user, ask('a'), answer(result('a'), result('a')))).toBe(
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    );
    expect(refuse(user, ask('a', 'a'), answer(result('a')))).toBe(
      'messages.1.content.1: `tool_use` ids must be unique',
    );
  });

  it('refuseAnthropic refuses an id that a call before has, wherever that is in the conversation', () => {
    expect(refuse(user, ask('a'), answer(result('a')), ask('b', 'a'), answer(result('b'), result('a')))).toBe(
      'messages.3.content.1: `tool_use` ids must be unique',
    );
    expect(refuse(user, ask('a'), answer(result('a')), ask('b'), answer(result('b')))).toBeUndefined();
  });

  it('refuseAnthropic refuses arguments that are no object, and an error that says nothing', () => {
    const half = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 't', input: '{"pa' }] };
    expect(refuse(user, half, answer(result('a')))).toBe(
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    );
    for (const content of ['', [], undefined, [{ type: 'text', text: '' }]]) {
      expect(refuse(user, ask('a'), answer({ ...result('a'), content, is_error: true }))).toBe(
        'messages.2.content.0: content cannot be empty if `is_error` is true',
      );
    }
    expect(refuse(user, ask('a'), answer({ ...result('a'), content: 'no', is_error: true }))).toBeUndefined();
  });

  it('refuseAnthropic wants the result of what the provider ran, unless that is going on', () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const says = (...content: unknown[]) => ({ role: 'assistant', content });
    expect(refuse(user, says(search), user)).toBe(
      'messages.1: `web_search` tool use with id `s` was found without a corresponding `web_search_tool_result` block',
    );
    expect(refuse(user, says({ ...search, type: 'mcp_tool_use' }), user)).toContain('`mcp_tool_result`');
    expect(refuse(user, says(search))).toBeUndefined();
    const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
    expect(refuse(user, says(search, found), user)).toBeUndefined();
    const called = { type: 'tool_use', id: 'a', name: 't', input: {}, caller: { type: 'code', tool_id: 's' } };
    expect(refuse(user, says(search, called), answer(result('a')))).toBeUndefined();
  });

  it('refuseAnthropic refuses what a cut leaves: empty text, unsigned thinking, white space at the end', () => {
    const says = (...content: unknown[]) => ({ role: 'assistant', content });
    expect(refuse(user, says({ type: 'text', text: '' }), user)).toBe(
      'messages: text content blocks must be non-empty',
    );
    expect(refuse(user, says({ type: 'text', text: ' ' }), user)).toBe(
      'messages: text content blocks must contain non-whitespace text',
    );
    expect(refuse(user, says({ type: 'thinking', thinking: 'h' }), user)).toBe(
      'messages.1.content.0.thinking.signature: Field required',
    );
    expect(refuse(user, says({ type: 'thinking', thinking: 'h', signature: '' }), user)).toBe(
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    );
    expect(refuse(user, says(), user)).toBe(
      'messages.1: all messages must have non-empty content except for the optional final assistant message',
    );
    expect(refuse(user, { role: 'assistant', content: 'half a ' })).toBe(
      'messages: final assistant content cannot end with trailing whitespace',
    );
    expect(refuse(user, { role: 'assistant', content: 'half a ' }, user)).toBeUndefined();
  });

  it.each(['thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'mcp_tool_result'])(
    'refuseAnthropic refuses %s in a message of the user',
    (type) => {
      expect(refuse(user, ask('a'), answer(result('a'), { type, signature: 's' }))).toBe(
        `messages.2.content.1: \`${type}\` blocks can only be in \`assistant\` messages`,
      );
    },
  );

  it('refuseAnthropic refuses a picture in the result of a call that failed', () => {
    const picture = { type: 'image', source: {} };
    const failed = (is_error: boolean) => answer({ ...result('a'), is_error, content: [picture] });
    expect(refuse(user, ask('a'), failed(false))).toBeUndefined();
    expect(refuse(user, ask('a'), failed(true))).toBe(
      'messages.2.content.0: all content must be type "text" if `is_error` is true',
    );
  });

  it('refuseAnthropic refuses an id or a name with other characters, and a call without either', () => {
    const pattern = "String should match pattern '^[a-zA-Z0-9_-]+$'";
    const says = (...content: unknown[]) => ({ role: 'assistant', content });
    const use = { type: 'tool_use', id: 'a', name: 'read', input: {} };
    expect(refuse(user, says(use), answer(result('a')))).toBeUndefined();
    for (const id of ['functions.read:0', undefined]) {
      expect(refuse(user, says({ ...use, id }))).toBe(`messages.1.content.0.tool_use.id: ${pattern}`);
    }
    expect(refuse(user, says({ ...use, name: 'fs.read' }))).toBe(`messages.1.content.0.tool_use.name: ${pattern}`);
  });

  it('refuseAnthropic refuses an empty list and foreign roles', () => {
    expect(refuse()).toBe('messages: at least one message is required');
    expect(refuse({ role: 'system', content: 'x' })).toContain('Unexpected role "system"');
  });

  const thought = { type: 'thinking', thinking: 'h', signature: signThought('1', 'h') };
  const withThinking = (type: string, ...messages: unknown[]) =>
    refuseAnthropic({ model: 'm', max_tokens: 1, thinking: { type, budget_tokens: 1024 }, messages });
  const use = { type: 'tool_use', id: 'a', name: 't', input: {} };
  const says = (...content: unknown[]) => ({ role: 'assistant', content });

  it.each([
    ['its call', [use], 'tool_use'],
    ['its words', [{ type: 'text', text: 'x' }, use], 'text'],
    ['what it thought later', [use, thought, { ...use, id: 'b' }], 'tool_use'],
  ])('refuseAnthropic refuses, with thinking on, an answered reply that begins with %s', (_name, content, found) => {
    const results = answer(...content.flatMap((block) => ('id' in block ? [result(block.id)] : [])));
    expect(withThinking('enabled', user, says(...content), results)).toBe(
      `messages.1.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. ` +
        'When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the ' +
        'lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous ' +
        'turns. To avoid this requirement, disable `thinking`.',
    );
    expect(withThinking('disabled', user, says(...content), results)).toBeUndefined();
    expect(withThinking('enabled', user, says(thought, ...content), results)).toBeUndefined();
    expect(withThinking('enabled', user, says(...content), results, says({ type: 'text', text: 'x' }), user)).toBe(
      undefined,
    );
  });

  it('refuseAnthropic accepts a sealed thought in place of a signed one', () => {
    const sealed = { type: 'redacted_thinking', data: 'x' };
    expect(withThinking('enabled', user, says(sealed, use), answer(result('a')))).toBeUndefined();
  });

  it('refuseAnthropic refuses a thought that is not what was signed, and lets signatures alone that are not its own', () => {
    const forged = (signature: string) => says({ ...thought, thinking: 'H', signature }, { type: 'text', text: 'x' });
    expect(refuse(user, forged(thought.signature), user)).toBe(
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    );
    expect(refuse(user, forged('EqQBCgIYAhIk'), user)).toBeUndefined();
  });

  it('refuseAnthropic refuses a reply that ends in a thought', () => {
    expect(refuse(user, says(use, thought), answer(result('a')))).toBe(
      'messages.1: The final block in an assistant message cannot be `thinking`.',
    );
  });
});
