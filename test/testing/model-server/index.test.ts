import { expect, it } from 'vitest';
import { startModelServer, type ModelServerOptions } from '../../../src/testing/model-server/index.ts';

it.each([
  [{ port: '80' }, TypeError, 'port must be a number, got 80'],
  [{ port: 1.5 }, RangeError, 'port must be 0 to 65535, got 1.5'],
  [{ port: 70_000 }, RangeError, 'port must be 0 to 65535, got 70000'],
  [{ strict: 'yes' }, TypeError, 'strict must be a boolean, got yes'],
  [{ script: 'Hello' }, TypeError, 'script must be a list or a function, got "Hello"'],
  [{ script: [{ chunks: 0 }] }, RangeError, 'script[0].chunks must be 1 or more, got 0'],
])('startModelServer refuses %o before it listens', async (options, type, message) => {
  const started = startModelServer(options as unknown as ModelServerOptions);
  await expect(started).rejects.toThrow(type);
  await expect(started).rejects.toThrow(message);
});
