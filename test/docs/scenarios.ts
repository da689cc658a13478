/**
 * Scenario numbers: which the page defines, and which the titles of tests use.
 *
 * @module
 */
import ts from 'typescript';

/** Numbers that the page of scenarios defines, each with the line of its row. */
export function definedScenarios(page: string): readonly string[] {
  return [...page.matchAll(/\*\*(S\d{2})\*\*/g)].map(([, number = '']) => number);
}

/** Numbers in the texts of a test file; comments do not count. */
export function usedScenarios(file: string, text: string): readonly string[] {
  // Most files name none, and need not be parsed.
  if (!/\bS\d{2}\b/.test(text)) return [];
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node))
      for (const [number] of node.text.matchAll(/\bS\d{2}\b/g)) found.add(number);
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ESNext));
  return [...found];
}

/** Titles that carry a number nobody defined, and numbers that are defined twice. */
export function scenarioFaults(page: string, tests: ReadonlyMap<string, string>): string[] {
  const defined = definedScenarios(page);
  const doubles = defined.filter((number, index) => defined.indexOf(number) !== index);
  const unknown = [...tests].flatMap(([file, text]) =>
    usedScenarios(file, text)
      .filter((number) => !defined.includes(number))
      .map((number) => `${file}: ${number} is not in docs/design/scenarios.md`),
  );
  return [...doubles.map((number) => `${number} is defined twice`), ...unknown];
}

/** The sentence that names the scenarios without a test. */
export function untestedLine(page: string, tests: ReadonlyMap<string, string>): string {
  const used = new Set([...tests].flatMap(([file, text]) => usedScenarios(file, text)));
  const rest = definedScenarios(page).filter((number) => !used.has(number));
  return rest.length === 0 ? 'Every scenario has a test.' : `No test carries these numbers yet: ${rest.join(', ')}.`;
}
