/**
 * The project that compiles `test/types` can fail: a planted file with one mistake a line.
 */
import { join } from 'node:path';

import ts from 'typescript';
import { expect, it } from 'vitest';

import { root } from './source.ts';

it('the types project finds every planted mistake', () => {
  const folder = join(root, 'test/types');
  const read = (path: string): string | undefined => ts.sys.readFile(path);
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), read) as { config: object };
  const parsed = ts.parseJsonConfigFileContent({ ...config, exclude: [] }, ts.sys, folder);
  const planted = join(folder, 'fixtures/must-fail.ts');
  expect(parsed.fileNames).toContain(planted);
  const program = ts.createProgram([planted], parsed.options);
  const lines = ts
    .getPreEmitDiagnostics(program, program.getSourceFile(planted))
    .map(({ file, start = 0, code }) => [(file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1, code]);
  expect(lines).toEqual([
    [5, 2540],
    [6, 2322],
    [7, 2322],
    [8, 2578],
  ]);
}, 60_000);
