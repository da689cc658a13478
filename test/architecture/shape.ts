/**
 * How a file looks from outside: its name, its size, its header, and its test.
 *
 * @module
 */
import { posix } from 'node:path';

import ts from 'typescript';

import { parse, type Sources } from './source.ts';

const ceiling = 300;

/** A file says what it is about; these names say nothing. */
const emptyNames = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'types', 'shared', 'lib']);

/** Files that are one thing and stay whole: each with what that thing is. Not even they grow without end. */
export const wholeFiles: Readonly<Record<string, string>> = {
  'src/core/interrupt/controller.ts': 'an interface with the documentation of its members, and what makes it',
  'src/core/interrupt/turn/turn-run.ts': 'one turn from its start to its report',
  'src/core/interrupt/calls/model-call.ts': 'one model call over its attempts',
  'src/core/interrupt/calls/tool-call.ts': 'one tool call from its batch to its outcome',
  'src/core/token/tree/listeners.ts': 'a listener from its registration to its end, on whichever node it is',
  'src/core/combinators/engine/work.ts': 'the one engine for a call with limits',
};
const wholeCeiling = 560;

/** No file is longer than the ceiling. */
export function fileCeiling(sources: Sources): string[] {
  return [...sources]
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ path, lines }) => lines > (path in wholeFiles ? wholeCeiling : ceiling))
    .map(({ path, lines }) => `${path}: ${String(lines)} lines; from ${String(ceiling)} on it becomes a folder`);
}

/** A folder with more files than this is not a room yet. */
const fullRoom = 12;

/** No folder holds more files than a reader can take in at one look. */
export function roomSizes(sources: Sources): string[] {
  const counts = new Map<string, number>();
  for (const path of sources.keys()) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > fullRoom)
    .map(
      ([folder, count]) =>
        `${folder}: ${String(count)} files; from ${String(fullRoom + 1)} on it needs rooms of its own`,
    );
}

/** Files and folders are kebab-case and named after what they hold. */
export function fileNames(sources: Sources): string[] {
  const lines: string[] = [];
  for (const path of sources.keys()) {
    for (const part of path.replace(/\.ts$/, '').split('/').slice(1)) {
      if (emptyNames.has(part)) lines.push(`${path}: '${part}' does not say what is inside`);
      if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(part)) lines.push(`${path}: '${part}' is not kebab-case`);
    }
  }
  return lines;
}

/** Every file begins with a comment of purpose that ends in `@module`, a door's with its name. */
export function fileHeaders(sources: Sources): string[] {
  return [...sources]
    .filter(([, text]) => !/^(?:#!.*\n)?\/\*\*\n \* \S(?:(?!\*\/)[^])*\n \* @module(?: desist\S*)?\n \*\//.test(text))
    .map(([path]) => `${path}: no header comment (purpose first, @module last)`);
}

/** Whether a statement leaves nothing behind when types are erased, or only passes names on. */
function carriesNoCode(node: ts.Statement): boolean {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node)) return true;
  return ts.isExportDeclaration(node);
}

/**
 * Every source has a test at the same path.
 *
 * @param exempt Files that hold only types or only re-exports; an entry that is not needed is a violation as well.
 */
export function testTwins(sources: Sources, tests: ReadonlySet<string>, exempt: readonly string[]): string[] {
  const twinOf = (path: string): string => posix.join('test', path.slice('src/'.length).replace(/\.ts$/, '.test.ts'));
  const lines = [...sources.keys()]
    .filter((path) => !exempt.includes(path) && !tests.has(twinOf(path)))
    .map((path) => `${path}: no ${twinOf(path)}`);
  for (const path of exempt) {
    const text = sources.get(path);
    if (text === undefined) lines.push(`${path}: exempt, but there is no such file`);
    else if (tests.has(twinOf(path))) lines.push(`${path}: exempt, but it has a test`);
    else if (!parse(path, text).statements.every(carriesNoCode)) lines.push(`${path}: exempt, but it holds code`);
  }
  return lines;
}

/** Every adapter is a door, every door has a source: `exports` and `src` say the same. */
export function doorsMatchSources(sources: Sources, exportKeys: readonly string[]): string[] {
  const wanted = new Map<string, string>();
  for (const path of sources.keys()) {
    const room =
      /^src\/(?:(guard|sessions|transcript|remote|testing|testing\/fast-check|testing\/program|inspect)\/index|adapters\/([a-z0-9-]+)(?:\/index)?)\.ts$/.exec(
        path,
      );
    const dialect = /^src\/transcript\/dialects\/([a-z0-9-]+)\/index\.ts$/.exec(path)?.[1];
    if (dialect !== undefined) wanted.set(`./transcript/${dialect}`, path);
    if (path === 'src/index.ts') wanted.set('.', path);
    else if (room !== null) wanted.set(`./${room[1] ?? room[2] ?? ''}`, path);
  }
  const keys = exportKeys.filter((key) => key !== './package.json');
  return [
    ...[...wanted].filter(([key]) => !keys.includes(key)).map(([key, path]) => `${path}: no exports["${key}"]`),
    ...keys.filter((key) => !wanted.has(key)).map((key) => `exports["${key}"]: no source`),
  ];
}
