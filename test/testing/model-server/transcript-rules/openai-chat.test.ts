import { describe, expect, it } from 'vitest';
import { refuseOpenAIChat } from '../../../../src/testing/model-server/transcript-rules/openai-chat.ts';

const user = { role: 'user', content: 'Go.' };

describe('refuseOpenAIChat', () => {
  const ask = (...ids: string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 't', arguments: '{}' } })),
  });
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
  const refuse = (...messages: unknown[]) => refuseOpenAIChat({ model: 'm', messages });

  it('refuseOpenAIChat accepts a clean tool cycle, results in any order', () => {
    expect(refuse(user, ask('a', 'b'), result('b'), result('a'), user)).toBeUndefined();
  });

  it.each([
    ['before another role', [user, ask('b', 'a'), result('b'), user]],
    ['at the end', [user, ask('a')]],
  ])('refuseOpenAIChat refuses an unanswered call %s', (_name, messages) => {
    expect(refuse(...messages)).toBe(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        'The following tool_call_ids did not have response messages: a',
    );
  });

  it.each([
    ['nothing asked for', [user, result('a')]],
    ['given twice', [user, ask('a'), result('a'), result('a')]],
  ])('refuseOpenAIChat refuses a tool message %s', (_name, messages) => {
    expect(refuse(...messages)).toBe(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    );
  });

  it('refuseOpenAIChat refuses calls and results in the form of another API', () => {
    const use = { type: 'tool_use', id: 'a', name: 't', input: {} };
    const said = { type: 'text', text: 'x' };
    expect(refuse(user, { role: 'assistant', content: [said, use] })).toBe(
      "Invalid value: 'tool_use' for 'messages[1].content[1].type'.",
    );
    expect(refuse({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] })).toContain(
      "'tool_result' for 'messages[0].content[0].type'",
    );
    expect(refuse({ role: 'user', content: [said, { type: 'video_url', video_url: {} }] })).toBeUndefined();
  });

  it('refuseOpenAIChat refuses half-streamed arguments and an assistant that says nothing', () => {
    const half = { id: 'a', type: 'function', function: { name: 't', arguments: '{"pa' } };
    expect(refuse(user, { role: 'assistant', content: null, tool_calls: [half] }, result('a'))).toBe(
      "Invalid 'messages[1].tool_calls[0].function.arguments': expected a string of valid JSON.",
    );
    expect(refuse(user, { role: 'assistant', content: null })).toBe(
      "Invalid value for 'content': expected a string, got null.",
    );
    expect(refuse(user, { role: 'assistant', content: '' })).toContain('an empty string');
  });

  it('refuseOpenAIChat refuses a list of no calls, and a tool message without content', () => {
    expect(refuse(user, { role: 'assistant', content: 'x', tool_calls: [] }, user)).toBe(
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    );
    for (const content of [undefined, null, []]) {
      expect(refuse(user, ask('a'), { ...result('a'), content })).toContain("'messages[2].content'");
    }
    expect(refuse(user, ask('a'), { ...result('a'), content: '' })).toBeUndefined();
  });

  it('refuseOpenAIChat refuses a call that does not say what it is, and takes a custom one', () => {
    const call = (type?: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', ...(type === undefined ? {} : { type }), custom: { name: 't', input: 'any text' } }],
    });
    expect(refuse(user, call(), result('a'))).toBe("Missing required parameter: 'messages[1].tool_calls[0].type'.");
    expect(refuse(user, call('custom'), result('a'))).toBeUndefined();
  });

  it('refuseOpenAIChat refuses an id that is too long and a name that no function can have', () => {
    const long = 'c'.repeat(41);
    expect(refuse(user, ask(long), result(long))).toBe(
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
    );
    const named = { id: 'a', type: 'function', function: { name: 'fs.read', arguments: '{}' } };
    expect(refuse(user, { role: 'assistant', content: null, tool_calls: [named] }, result('a'))).toBe(
      "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    );
  });

  it('refuseOpenAIChat asks for model and messages', () => {
    expect(refuseOpenAIChat({ messages: [user] })).toBe('you must provide a model parameter');
    expect(refuseOpenAIChat({ model: 'm' })).toBe("Missing required parameter: 'messages'.");
    expect(refuse()).toContain("Invalid 'messages': empty array");
  });
});
