import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { bannedConstructs, namedExportsOnly } from './constructs.ts';
import { docstrings } from './docstrings.ts';
import { importCycles, importDirection } from './imports.ts';
import { doorsMatchSources, fileCeiling, fileHeaders, fileNames, testTwins } from './shape.ts';
import { listFiles, readSources, root } from './source.ts';

/** Sources that hold only types, and doors that only pass names on (their exports are pinned in test/package). */
const withoutTwin: readonly string[] = [
  'src/index.ts',
  'src/core/interrupt/events.ts',
  'src/core/interrupt/call-options.ts',
  'src/core/interrupt/handles.ts',
  'src/core/foundation/disposable.ts',
  'src/core/interrupt/outcomes.ts',
  'src/core/interrupt/turn-report.ts',
  'src/core/token/handles.ts',
  'src/testing/index.ts',
];

const sources = readSources('src');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, unknown> };

describe('the law of the house', () => {
  it('imports go downwards, into allowed rooms, and let in only allowed packages', () => {
    expect(importDirection(sources)).toEqual([]);
  });
  it('no import goes round in a circle, types included', () => {
    expect(importCycles(sources)).toEqual([]);
  });
  it('no banned construct', () => {
    expect(bannedConstructs(sources)).toEqual([]);
  });
  it('named exports only', () => {
    expect(namedExportsOnly(sources)).toEqual([]);
  });
  it('every source has its test twin', () => {
    expect(testTwins(sources, new Set(listFiles('test')), withoutTwin)).toEqual([]);
  });
  it('no file is longer than the ceiling', () => {
    expect(fileCeiling(sources)).toEqual([]);
  });
  it('names say what is inside', () => {
    expect(fileNames(sources)).toEqual([]);
  });
  it('every file has its header', () => {
    expect(fileHeaders(sources)).toEqual([]);
  });
  it('package.json exports every door and nothing else', () => {
    expect(doorsMatchSources(sources, Object.keys(manifest.exports))).toEqual([]);
  });
  it('every public symbol has its docstring', () => {
    const doors = readDoors(root).map((door) => door.source);
    expect(docstrings(sources, doors)).toEqual([]);
  });
});
