import { expect, it } from 'vitest';
import { now, RequestRecord } from '../../../src/testing/model-server/request-record.ts';

it('a request record starts with nothing sent and nobody gone', () => {
  const before = now();
  const record = new RequestRecord(3, 'openai-chat', { stream: true }, { host: 'x' });
  expect(record).toMatchObject({
    n: 3,
    dialect: 'openai-chat',
    stream: true,
    status: undefined,
    bytesWritten: 0,
    deltasWritten: 0,
    finishedAt: undefined,
    closedEarly: false,
    closedAt: undefined,
  });
  expect(record.receivedAt).toBeGreaterThanOrEqual(before);
  expect(record.receivedAt).toBeLessThanOrEqual(now());
});

it('a request record takes only `true` for a wish to stream', () => {
  expect(new RequestRecord(1, 'anthropic', { stream: 'true' }, {}).stream).toBe(false);
});

it('a request record believes the path before the body about the model and the stream', () => {
  const body = { model: 'body', stream: false };
  expect(new RequestRecord(1, 'gemini', body, {})).toMatchObject({ model: 'body', stream: false });
  expect(new RequestRecord(1, 'gemini', body, {}, { model: 'path', stream: true })).toMatchObject({
    model: 'path',
    stream: true,
  });
  expect(new RequestRecord(1, 'gemini', { model: 7 }, {}).model).toBeUndefined();
});

it('a request record reads its tools and its history, whatever the protocol', () => {
  const schema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
  const ofChat = {
    tools: [{ type: 'function', function: { name: 'bash', parameters: schema } }],
    messages: [{ role: 'user', content: 'Go.' }],
  };
  const ofGemini = {
    tools: [{ functionDeclarations: [{ name: 'bash', parameters: schema }] }],
    contents: [{ role: 'user', parts: [{ text: 'Go.' }] }],
  };
  const records = [new RequestRecord(1, 'openai-chat', ofChat, {}), new RequestRecord(2, 'gemini', ofGemini, {})];
  for (const { tools, history } of records) {
    expect(tools).toEqual([{ name: 'bash', description: '', schema }]);
    expect(history).toMatchObject([{ role: 'user', kind: 'text', text: 'Go.' }]);
  }
});

it('a request record scripts a call of the shell tool that the program has, and none where it has none', () => {
  const schema = { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] };
  const request = new RequestRecord(1, 'anthropic', { tools: [{ name: 'exec_command', input_schema: schema }] }, {});
  expect(request.shellCall('ls')).toEqual({ name: 'exec_command', input: { cmd: 'ls' } });
  expect(new RequestRecord(1, 'anthropic', {}, {}).shellCall('ls')).toBeUndefined();
});
