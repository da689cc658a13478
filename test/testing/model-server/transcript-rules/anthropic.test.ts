import { describe, expect, it } from 'vitest';
import { refuseAnthropic } from '../../../../src/testing/model-server/transcript-rules/anthropic.ts';

const user = { role: 'user', content: 'Go.' };

describe('refuseAnthropic', () => {
  const ask = (...ids: string[]) => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 't', input: {} })),
  });
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
  const answer = (...content: unknown[]) => ({ role: 'user', content });
  const refuse = (...messages: unknown[]) => refuseAnthropic({ model: 'm', max_tokens: 1, messages });

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
    expect(refuse(user, ask('a', 'a'), answer(result('a')))).toBe('messages: `tool_use` ids must be unique');
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
});
