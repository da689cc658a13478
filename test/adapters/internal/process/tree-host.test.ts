import { describe, expect, it } from 'vitest';

import { ProcessDescendants } from '../../../../src/adapters/internal/process/process-descendants.ts';
import { hostFamily, hostProcessTable } from '../../../../src/adapters/internal/process/tree-host.ts';
import { TaskkillFamily } from '../../../../src/adapters/internal/process/taskkill-tree.ts';

describe('hostFamily', () => {
  it('reads the tree where there is a table', () => {
    expect(hostFamily(2 ** 30, 'm', hostProcessTable('linux', true))).toBeInstanceOf(ProcessDescendants);
  });

  it('leaves it to the system where there is none', () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
    Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
    try {
      expect(hostFamily(2 ** 30, 'm')).toBeInstanceOf(TaskkillFamily);
    } finally {
      Object.defineProperty(process, 'platform', platform);
    }
  });
});

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
