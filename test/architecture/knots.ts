/**
 * How much of the house has to be known to read one file of it: the files that point at each other, types included, and what
 * the interfaces show by which the parts of the machine know each other.
 *
 * @module
 */
import ts from 'typescript';

import { importsOf, parse, place, walk, type Sources } from './source.ts';

/** How many files may point at each other: an interface, what makes it, and what it is made of. */
const MOST_IN_A_KNOT = 3;

/** How much one part may show of itself to another. */
const MOST_SHOWN = 15;

/** The groups of files each of which reaches every other by imports, of types too; after Tarjan. */
export function knotsIn(sources: Sources): string[][] {
  const knots: string[][] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    stack.push(file);
    let low = own;
    for (const { target } of importsOf(file, sources.get(file) ?? '')) {
      if (target === undefined || !sources.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    if (low === own) knots.push(stack.splice(stack.indexOf(file)));
    return low;
  };
  for (const file of sources.keys()) if (!order.has(file)) visit(file);
  return knots;
}

/** No more than a few files point at each other, by types or otherwise. */
export function typeKnots(sources: Sources): string[] {
  return knotsIn(sources)
    .filter((knot) => knot.length > MOST_IN_A_KNOT)
    .map(
      (knot) =>
        `${String(knot.length)} files point at each other, ${String(MOST_IN_A_KNOT)} may: ${knot.sort().join(', ')}`,
    );
}

/** Whether it is what users see: its length is that of the package. */
function isPublic(node: ts.Node, text: string): boolean {
  const ranges = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  return ranges.some(({ pos, end }) => text.slice(pos, end).includes('@since'));
}

/** An interface by which one part of the machine knows another shows no more than that needs. */
export function portSizes(sources: Sources): string[] {
  const lines: string[] = [];
  for (const [path, text] of sources) {
    if (!path.startsWith('src/core/interrupt/')) continue;
    const file = parse(path, text);
    walk(file, (node) => {
      if (!ts.isInterfaceDeclaration(node) || isPublic(node, text) || node.members.length <= MOST_SHOWN) return;
      const shown = `${node.name.text} shows ${String(node.members.length)} members`;
      lines.push(`${place(file, node)}: ${shown}, ${String(MOST_SHOWN)} at most: say what each of its users needs`);
    });
  }
  return lines;
}

/** The classes that only who makes one may name: everybody else knows them by an interface of what it needs. */
const behindPorts: Readonly<Record<string, number>> = { Agent: 2, TurnRun: 3, ToolCall: 2, ModelAttempt: 0 };

/** How many files of the interrupt room name a class that stands behind interfaces. */
export function classesNamed(sources: Sources): string[] {
  return Object.entries(behindPorts).flatMap(([name, most]) => {
    const files = [...sources]
      .filter(([path, text]) => path.startsWith('src/core/interrupt/') && importsName(path, text, name))
      .map(([path]) => path);
    return files.length <= most ? [] : [`the class ${name} is imported by ${files.join(', ')}: ${String(most)} may`];
  });
}

function importsName(path: string, text: string, name: string): boolean {
  let isThere = false;
  walk(parse(path, text), (node) => {
    isThere ||= ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === name;
  });
  return isThere;
}
