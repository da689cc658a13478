/**
 * A test's title reads as a sentence without the names of the blocks around it, so that a line of a report can be
 * understood alone. A title that begins with a verb has no subject.
 *
 * @module
 */
import ts from 'typescript';

import { parse, place, walk, type Rule } from './source.ts';

/** Forms that are never the beginning of a subject. What could be a plural noun too (`stops`, `calls`) is not here. */
const verbs = new Set(
  `is are was were has have had does do did can cannot may must will would says knows gives takes keeps lets finds leaves
  throws refuses rejects returns resolves asks accepts goes comes sends hears sees makes gets puts tells becomes begins
  carries closes believes bills decides disarms drops ends expects fails falls fires follows forgets freezes happens
  ignores implies judges loses lasts mixes never outlives parses passes pauses prints reaches recognises refers releases
  remembers removes shares stamps stands starts stays survives throws touches uses wants writes also and or nor`.split(
    /\s+/,
  ),
);

/** What is called: `it`, of `it.each([…])`. */
function calledName(call: ts.CallExpression): string {
  let callee: ts.Node = call.expression;
  while (!ts.isIdentifier(callee)) {
    if (ts.isTaggedTemplateExpression(callee)) callee = callee.tag;
    else if (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
    else return '';
  }
  return callee.text;
}

/** Titles of tests that begin with a verb, or with what leans on an earlier sentence; and those of something bare that every command plays. */
export const titlesWithoutSubject: Rule = (sources) => {
  const lines: string[] = [];
  for (const [path, text] of sources) {
    const file = parse(path, text);
    walk(file, (node) => {
      if (!ts.isCallExpression(node) || !['it', 'itBare', 'test'].includes(calledName(node))) return;
      const [title, body] = node.arguments;
      if (
        title === undefined ||
        body === undefined ||
        !(ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))
      )
        return;
      const words = title.getText(file).slice(1, -1);
      // Numbers of scenarios and invariants come before the sentence.
      const [, first = ''] = /^(?:[A-Z]\d+[:,]? )*(\w+)/.exec(words) ?? [];
      if (verbs.has(first)) lines.push(`${place(file, title)}: '${words}' has no subject`);
      if (/^(?:S\d+ )?bare, /.test(words) && calledName(node) !== 'itBare')
        lines.push(`${place(file, title)}: '${words}' is of something bare: itBare() of test/support/bare.ts`);
    });
  }
  return lines;
};
