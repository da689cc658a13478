/**
 * What is found, as a table by file for a person, or as an object for a program.
 *
 * @module
 */
import type { Audit, Finding } from './audit.ts';

/** By file: the place, the rule, and the sentence of what would happen there. */
export function asTable({ findings, files, skipped, unread }: Audit, since: string | undefined): string {
  const out: string[] = [];
  for (const [file, list] of byFile(findings)) {
    out.push(file);
    const places = list.map(({ line, column }) => `${String(line)}:${String(column)}`);
    const [placeWidth, ruleWidth] = [widest(places), widest(list.map(({ rule }) => rule))];
    for (const [index, { rule, message }] of list.entries()) {
      out.push(`  ${(places[index] ?? '').padStart(placeWidth)}  ${rule.padEnd(ruleWidth)}  ${message}`);
    }
    out.push('');
  }
  for (const line of unread) out.push(`not read: ${line}`);
  out.push(summary(findings, files, skipped, since));
  return `${out.join('\n')}\n`;
}

function summary(findings: readonly Finding[], files: number, skipped: number, since: string | undefined): string {
  const what = since === undefined ? '' : ` since ${since}`;
  const where = `${counted(files, 'file')} read${skipped === 0 ? '' : `, ${String(skipped)} of tests and builds not`}`;
  if (findings.length === 0) return `No stop gets lost${what}, as far as types tell: ${where}.`;
  const rules = [...new Set(findings.map(({ rule }) => rule))].map(
    (rule) => `${rule} ${String(findings.filter((each) => each.rule === rule).length)}`,
  );
  return `A stop gets lost in ${counted(findings.length, 'place')}${what} (${rules.join(', ')}): ${where}.`;
}

function counted(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`;
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

function byFile(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const files = new Map<string, Finding[]>();
  for (const finding of findings) {
    const list = files.get(finding.file) ?? [];
    files.set(finding.file, list);
    list.push(finding);
  }
  return files;
}

/** One object, its shape numbered. */
export function asJson(audit: Audit, since: string | undefined): string {
  return `${JSON.stringify({ version: 1, ...(since === undefined ? {} : { since }), ...audit }, null, 2)}\n`;
}
