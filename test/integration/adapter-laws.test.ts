import { describe, expect, it } from 'vitest';

import { describeAdapter } from '../../src/testing/index.ts';
import { limitMs } from '../support/limit.ts';
import { openHarness } from './support/adapter-harnesses.ts';

describe('the laws of adapters', () => {
  it.each(Object.entries(openHarness))('%s keeps every law of an adapter', async (_, open) => {
    const harness = await open();
    try {
      const verdicts = await describeAdapter(harness, { settleMs: limitMs(5_000) });
      expect(verdicts.filter(({ status }) => status === 'failed')).toEqual([]);
      expect(verdicts.filter(({ status }) => status === 'passed').length).toBeGreaterThan(7);
    } finally {
      await harness.close();
    }
  });
});
