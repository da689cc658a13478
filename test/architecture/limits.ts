/**
 * What a test waits for may come late on a slow or busy machine: how long it waits grows with that.
 *
 * @module
 */
import ts from 'typescript';

import { parse, place, walk, type Rule } from './source.ts';

/** Limits of `expect.poll` that are the same on each machine: the one of the project grows, and so does `limitMs()`. */
export const unscaledLimits: Rule = (sources) => {
  const lines: string[] = [];
  for (const [path, text] of sources) {
    if (!text.includes('.poll(')) continue;
    const file = parse(path, text);
    walk(file, (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      const options = node.arguments[1];
      if (node.expression.name.text !== 'poll' || options === undefined || !ts.isObjectLiteralExpression(options))
        return;
      for (const option of options.properties) {
        if (!ts.isPropertyAssignment(option) || option.name.getText(file) !== 'timeout') continue;
        if (ts.isNumericLiteral(option.initializer)) lines.push(`${place(file, option)}: limitMs(), or none`);
      }
    });
  }
  return lines;
};
