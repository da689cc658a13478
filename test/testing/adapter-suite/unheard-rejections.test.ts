import { describe, expect, it } from 'vitest';

import { failUnheard } from '../../../src/testing/adapter-suite/unheard-rejections.ts';

/** Without the suite's own listeners, which would count these too. */
async function alone(run: () => Promise<void>): Promise<void> {
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  await run();
  for (const other of others) process.on('unhandledRejection', other);
}

describe('failUnheard', () => {
  it('failUnheard rejects with the first rejection that nobody heard, and how many there were', async () => {
    await alone(async () => {
      const attempt = failUnheard(async () => {
        for (const message of ['one', 'two']) void Promise.reject(new Error(message));
        await Promise.resolve();
      });
      await expect(attempt).rejects.toThrow('2 unhandled rejections, the first: Error: one');
      expect(process.listenerCount('unhandledRejection')).toBe(0);
    });
  });

  it('failUnheard lets pass what was heard, and what the attempt itself throws', async () => {
    const before = process.listenerCount('unhandledRejection');
    await failUnheard(async () => {
      await Promise.reject(new Error('heard')).catch(() => undefined);
    });
    await expect(failUnheard(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
    expect(process.listenerCount('unhandledRejection')).toBe(before);
  });
});
