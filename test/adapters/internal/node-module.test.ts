import fs from 'node:fs';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { nodeModule } from '../../../src/adapters/internal/node-module.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a module of Node's", () => {
  it('is the one that an import gives', () => {
    expect(nodeModule('node:fs')).toBe(fs);
  });

  it.each([
    ['a browser', undefined],
    ['a browser with a stand-in for process', { env: {} }],
    ['a runtime without that module', { getBuiltinModule: () => undefined }],
  ])('is missed in words in %s', (_where, process) => {
    vi.stubGlobal('process', process);
    expect(() => nodeModule('node:fs')).toThrow('there is no node:fs here');
  });
});
