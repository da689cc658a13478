import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { bannedConstructs, namedExportsOnly } from './constructs.ts';
import { docstrings } from './docstrings.ts';
import { classesNamed, portSizes, typeKnots } from './knots.ts';
import { chainDepth, importCycles, importDirection } from './imports.ts';
import { unscaledLimits } from './limits.ts';
import { doorsMatchSources, fileCeiling, fileHeaders, fileNames, roomSizes, testTwins } from './shape.ts';
import { listFiles, readSources, root } from './source.ts';
import { titlesWithoutSubject } from './titles.ts';

/** Sources that hold only types, and doors that only pass names on (their exports are pinned in test/package). */
const withoutTwin: readonly string[] = [
  'src/index.ts',
  'src/core/inside.ts',
  'src/guard/index.ts',
  'src/adapters/internal/stream/cut-options.ts',
  'src/transcript/dialect.ts',
  'src/transcript/from-core.ts',
  'src/sessions/index.ts',
  'src/sessions/remote-receipt.ts',
  'src/remote/backend.ts',
  'src/remote/node/hosted-run-parts.ts',
  'src/remote/node/node-parts.ts',
  'src/remote/requester/pursuit-parts.ts',
  'src/remote/record/step-result.ts',
  'src/remote/index.ts',
  'src/sessions/stop-bus.ts',
  'src/sessions/session-status.ts',
  'src/adapters/http-request/stop-route/exchange.ts',
  'src/adapters/http-request/status-stream/status-options.ts',
  'src/core/interrupt/calls/turn-of-calls.ts',
  'src/core/interrupt/public-types/controller.ts',
  'src/core/interrupt/public-types/tool-context.ts',
  'src/core/interrupt/public-types/turn.ts',
  'src/core/interrupt/public-types/events.ts',
  'src/core/interrupt/public-types/call-options.ts',
  'src/core/interrupt/public-types/agent-options.ts',
  'src/core/interrupt/public-types/messages.ts',
  'src/core/interrupt/public-types/stop-report.ts',
  'src/core/interrupt/public-types/outcomes.ts',
  'src/core/interrupt/public-types/turn-report.ts',
  'src/adapters/terminal/terminal-watcher.ts',
  'src/adapters/process-signals/drain-target.ts',
  'src/adapters/ink/ink-like.ts',
  'src/testing/index.ts',
  'src/testing/fast-check/index.ts',
  'src/testing/program/index.ts',
  'src/testing/program/checks/check.ts',
  'src/testing/program/drivers/driver.ts',
  'src/adapters/postgres/client.ts',
  'src/inspect/index.ts',
];

/** Folders whose titles still lean on the blocks around them. */
const untitled: readonly string[] = [
  'test/core/interrupt/',
  'test/transcript/',
  'test/adapters/',
  'test/integration/',
  'test/interop/',
];

const sources = readSources('src');
const tests = new Map([...readSources('test')].filter(([path]) => !untitled.some((folder) => path.startsWith(folder))));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, unknown> };

describe('the law of the house', () => {
  it('imports go downwards, into allowed rooms, and let in only allowed packages', () => {
    expect(importDirection(sources)).toEqual([]);
  });
  it('no import goes round in a circle; types may, within their room', () => {
    expect(importCycles(sources)).toEqual([]);
  });
  it('no more than three files point at each other, types included', () => {
    expect(typeKnots(sources)).toEqual([]);
  });
  it('no interface between the parts of the machine shows more than fifteen members', () => {
    expect(portSizes(sources)).toEqual([]);
  });
  it('who does not make a turn, a call or an agent knows it by an interface', () => {
    expect(classesNamed(sources)).toEqual([]);
  });
  it('the interrupt room is at most eight imports deep', () => {
    expect(chainDepth(sources)).toEqual([]);
  });
  it('no folder holds more than a dozen files', () => {
    expect(roomSizes(sources)).toEqual([]);
  });
  it('no file uses a banned construct', () => {
    expect(bannedConstructs(sources)).toEqual([]);
  });
  it('every export is named', () => {
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
  it('every title of a test has a subject', () => {
    expect(titlesWithoutSubject(tests)).toEqual([]);
  });
  it('every limit of a test grows with how slow the machine is', () => {
    expect(unscaledLimits(tests)).toEqual([]);
  });
  it('package.json exports every door and nothing else', () => {
    expect(doorsMatchSources(sources, Object.keys(manifest.exports))).toEqual([]);
  });
  it('every public symbol has its docstring', () => {
    const doors = readDoors(root).map((door) => door.source);
    expect(docstrings(sources, doors)).toEqual([]);
  });
});
