/**
 * What no file of `src` may write, and why each is dangerous here.
 *
 * @module
 */
import ts from 'typescript';

import { parse, place, walk, type Sources } from './source.ts';

const clocks = new Set(['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval']);
const listening = new Set(['on', 'once', 'addListener', 'prependListener', 'prependOnceListener']);

/** `a.b.c` for a chain of plain names, else the empty string. */
function dotted(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text;
  if (!ts.isPropertyAccessExpression(node)) return '';
  const owner = dotted(node.expression);
  return owner === '' ? '' : `${owner.replace(/^globalThis\./, '')}.${node.name.text}`.replace(/^globalThis\./, '');
}

/** The name of a call's callee, or of what `new` makes. */
function called(node: ts.Node): string {
  return ts.isCallExpression(node) || ts.isNewExpression(node) ? dotted(node.expression) : '';
}

type Ban = readonly [applies: (path: string) => boolean, match: (node: ts.Node) => boolean, why: string];

const everywhere = (): boolean => true;
const inCore = (path: string): boolean => path.startsWith('src/core/') && path !== 'src/core/foundation/clock.ts';
/** The test kit hears, while it tries something, what the code under test leaves unheard. */
const outsideHooks = (path: string): boolean =>
  // The program `desist` is a process of its own, and no guest in one.
  path !== 'src/testing/program/command-line/desist.ts' &&
  !/^src\/adapters\/internal\/process\/process-hooks(?:\.ts$|\/)/.test(path) &&
  path !== 'src/testing/adapter-suite/unheard-rejections.ts';

const bans: readonly Ban[] = [
  [everywhere, (node) => called(node) === 'Promise.race', 'Promise.race retains memory on a long-lived promise'],
  [everywhere, (node) => called(node) === 'AbortSignal.any', 'AbortSignal.any loses aborts and retains memory'],
  [
    inCore,
    (node) => {
      const name = called(node);
      return clocks.has(name) || (ts.isCallExpression(node) && clocks.has(name.split('.').at(-1) ?? ''));
    },
    'core takes time from a Clock',
  ],
  [inCore, (node) => ['Date.now', 'performance.now'].includes(dotted(node)), 'core takes time from a Clock'],
  [
    inCore,
    (node) => ts.isNewExpression(node) && called(node) === 'Date' && (node.arguments?.length ?? 0) === 0,
    'core takes time from a Clock',
  ],
  [
    outsideHooks,
    (node) => {
      const [owner, method = '', ...rest] = called(node).split('.');
      return owner === 'process' && listening.has(method) && rest.length === 0;
    },
    'only adapters/internal/process/process-hooks listens to the process',
  ],
];

/** None of the banned constructs is used; comments may speak of them. */
export function bannedConstructs(sources: Sources): string[] {
  const lines: string[] = [];
  for (const [path, text] of sources) {
    const file = parse(path, text);
    const active = bans.filter(([applies]) => applies(path));
    walk(file, (node) => {
      for (const [, match, why] of active) {
        if (match(node)) lines.push(`${place(file, node)}: ${node.getText(file).split('\n', 1)[0] ?? ''} – ${why}`);
      }
    });
  }
  return lines;
}

/** Exports are named, one by one. */
export function namedExportsOnly(sources: Sources): string[] {
  const lines: string[] = [];
  for (const [path, text] of sources) {
    const file = parse(path, text);
    for (const node of file.statements) {
      const isDefault =
        ts.isExportAssignment(node) ||
        (ts.canHaveModifiers(node) &&
          ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true) ||
        (ts.isExportDeclaration(node) &&
          node.exportClause !== undefined &&
          ts.isNamedExports(node.exportClause) &&
          node.exportClause.elements.some((element) => element.name.text === 'default'));
      if (isDefault) lines.push(`${place(file, node)}: default export`);
      const isStar =
        ts.isExportDeclaration(node) && (node.exportClause === undefined || ts.isNamespaceExport(node.exportClause));
      if (isStar) lines.push(`${place(file, node)}: export *`);
    }
  }
  return lines;
}
