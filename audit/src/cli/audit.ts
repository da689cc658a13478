/**
 * Runs the rules over a program and gives what they find as data.
 *
 * @module
 */
import { relative } from 'node:path';

import * as parser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import type ts from 'typescript';

import plugin from '../index.ts';
import { isAudited, isDeclaration } from './project.ts';

/** A place where a stop gets lost. */
export interface Finding {
  /** From the folder the audit was started in. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** `pass-signal`, without the name of the plugin. */
  readonly rule: string;
  /** What would happen on Stop at that place. */
  readonly message: string;
  /** The line of code, without the space around it. */
  readonly code: string;
}

/** What was read, and found. */
export interface Audit {
  readonly findings: readonly Finding[];
  readonly files: number;
  /** Tests and files of builds, not read. */
  readonly skipped: number;
  /** Files that could not be read, with the reason. */
  readonly unread: readonly string[];
}

const always = ['pass-signal', 'rethrow-stops', 'kill-the-tree'];

/** The rules that run only if they are asked for: too much of what they find is not worth its reading. */
export interface Asked {
  readonly takeSignal?: boolean;
  readonly orphans?: boolean;
}

/** The names of the rules to run. */
export function rulesFor({ takeSignal = false, orphans = false }: Asked = {}): readonly string[] {
  return [...always, ...(takeSignal ? ['take-signal'] : []), ...(orphans ? ['orphans'] : [])];
}

/**
 * Runs rules over the files of a program.
 *
 * @param files Those of the project; declarations, tests and builds are left out here.
 * @param root What paths are relative to.
 */
export function auditProgram(
  program: ts.Program,
  files: readonly string[],
  root: string,
  rules: readonly string[],
): Audit {
  const linter = new Linter({ cwd: '/' });
  const config = configFor(program, rules);
  const findings: Finding[] = [];
  const unread: string[] = [];
  const sources = files.filter((file) => !isDeclaration(file));
  const wanted = sources.filter((file) => isAudited(file, root));
  for (const file of wanted) {
    const text = program.getSourceFile(file)?.text;
    const messages = text === undefined ? [] : linter.verify(text, config, { filename: file });
    const source = text === undefined ? null : (linter.getSourceCode() as { readonly lines: readonly string[] } | null);
    if (source === null) {
      unread.push(`${relative(root, file)}: ${messages[0]?.message ?? 'it cannot be opened'}`);
      continue;
    }
    for (const { ruleId, messageId, line, column, message } of messages) {
      const rule = ruleId?.startsWith('desist/') === true ? ruleId.slice('desist/'.length) : undefined;
      // What the linter says of comments is no finding: those for rules of other plugins, and wrong ones.
      if (rule === undefined || messageId === undefined || !rules.includes(rule)) continue;
      findings.push({
        file: relative(root, file),
        line,
        column,
        rule,
        message,
        code: source.lines[line - 1]?.trim() ?? '',
      });
    }
  }
  return { findings, files: wanted.length - unread.length, skipped: sources.length - wanted.length, unread };
}

function configFor(program: ts.Program, rules: readonly string[]): Linter.Config[] {
  return [
    {
      files: ['**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}'],
      languageOptions: { parser, parserOptions: { programs: [program] } },
      plugins: { desist: plugin as unknown as NonNullable<Linter.Config['plugins']>[string] },
      linterOptions: { reportUnusedDisableDirectives: 'off' },
      rules: Object.fromEntries(rules.map((name) => [`desist/${name}`, 'warn' as const])),
    },
  ];
}
