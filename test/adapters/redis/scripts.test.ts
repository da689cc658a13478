import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { listScript, pullScript, readScript, renewScript, swapScript } from '../../../src/adapters/redis/scripts.ts';

describe('the scripts', () => {
  it.each([readScript, swapScript, pullScript, listScript, renewScript])(
    'the scripts are named as the engine names them',
    ({ text, sha1 }) => {
      // prettier-ignore
      expect(sha1).toBe(createHash('sha1').update(text).digest('hex'));
    },
  );
});
