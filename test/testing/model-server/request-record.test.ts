import { expect, it } from 'vitest';
import { createRecord, now } from '../../../src/testing/model-server/request-record.ts';

it('a request record starts with nothing sent and nobody gone', () => {
  const before = now();
  const record = createRecord(3, 'openai-chat', { stream: true }, { host: 'x' });
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
  expect(createRecord(1, 'anthropic', { stream: 'true' }, {}).stream).toBe(false);
});

it('a request record believes the path before the body about the model and the stream', () => {
  const body = { model: 'body', stream: false };
  expect(createRecord(1, 'gemini', body, {})).toMatchObject({ model: 'body', stream: false });
  expect(createRecord(1, 'gemini', body, {}, { model: 'path', stream: true })).toMatchObject({
    model: 'path',
    stream: true,
  });
  expect(createRecord(1, 'gemini', { model: 7 }, {}).model).toBeUndefined();
});
