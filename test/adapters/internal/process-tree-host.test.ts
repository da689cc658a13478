import { describe, expect, it } from 'vitest';

import { hostProcessTable } from '../../../src/adapters/internal/process-tree-host.ts';

describe('hostProcessTable', () => {
  it('has none on Windows', () => {
    expect(hostProcessTable('win32', false)).toBeUndefined();
  });

  it.each([
    ['linux', true, true],
    ['linux', false, false],
    ['android', true, true],
    ['darwin', false, false],
    ['freebsd', true, false],
  ] as const)('on %s with /proc: %s, environments can be read: %s', (platform, hasProcfs, canRead) => {
    const environment = hostProcessTable(platform, hasProcfs)?.environmentOf(process.pid);
    expect(typeof environment).toBe(canRead && process.platform === 'linux' ? 'string' : 'undefined');
  });
});
