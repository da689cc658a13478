/**
 * Runs the cases of a rule with types: all cases of a file are files of one program, with the real packages.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import * as parser from '@typescript-eslint/parser';
import { RuleTester, type Linter, type Rule } from 'eslint';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Where the newest packages resolve; nothing is written there. */
const room = fileURLToPath(new URL('../../../test/interop/newest/', import.meta.url));

/** Code that is fine. */
export interface ValidCase {
  readonly name: string;
  readonly code: string;
}

/** Code in which one stop gets lost. */
export interface InvalidCase extends ValidCase {
  /** The identifier of the message. */
  readonly finds: string;
  /** What the suggestion makes of it; `null` where there is none. */
  readonly mended: string | null;
}

/** The cases of a rule. */
export interface RuleCases {
  readonly valid: readonly ValidCase[];
  readonly invalid: readonly InvalidCase[];
}

/** A rule with its cases. */
export interface TestedRule {
  readonly name: string;
  readonly rule: object;
  readonly cases: RuleCases;
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** A case has no import of what it only names as a type: it is a module all the same. */
function moduleOf(code: string): string {
  return `${code.trim()}\nexport {};\n`;
}

function fileOf(code: string): string {
  return join(room, `case-${createHash('sha1').update(code).digest('hex').slice(0, 12)}.ts`);
}

function programOf(codes: readonly string[]): ts.Program {
  const files = new Map(codes.map((code) => [fileOf(code), code]));
  const host = ts.createCompilerHost(options, true);
  const { readFile, fileExists } = host;
  host.readFile = (file) => files.get(file) ?? readFile.call(host, file);
  host.fileExists = (file) => files.has(file) || fileExists.call(host, file);
  return ts.createProgram({ rootNames: [...files.keys()], options, host });
}

/** Errors of the cases themselves: code that does not compile shows nothing, and a suggestion must compile too. */
function errorsOf(program: ts.Program, cases: readonly ValidCase[]): string[] {
  return cases.flatMap(({ name, code }) => {
    const file = program.getSourceFile(fileOf(moduleOf(code)));
    const all = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return all.map(({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  });
}

/** Declares the tests of rules. All cases are files of one program: the packages are read and understood once. */
export function testRules(tested: readonly TestedRule[]): void {
  const program = programOf(tested.flatMap(({ cases }) => codesOf(cases).map(({ code }) => moduleOf(code))));
  RuleTester.describe = describe;
  RuleTester.it = it;
  const tester = new RuleTester({ languageOptions: { parser: withProgram(program) } });
  for (const { name, rule, cases } of tested) {
    it(`the cases of ${name} compile`, () => {
      expect(errorsOf(program, codesOf(cases))).toEqual([]);
    });
    it(`${name} has as many valid cases as invalid ones`, () => {
      expect(cases.valid.length).toBeGreaterThanOrEqual(cases.invalid.length);
    });
    tester.run(name, rule as Rule.RuleModule, asTests(name, cases));
  }
}

/** Suggestions are code too. */
function codesOf({ valid, invalid }: RuleCases): readonly ValidCase[] {
  const mended = invalid.flatMap(({ name, mended: code }) =>
    code === null ? [] : [{ name: `mended: ${name}`, code }],
  );
  return [...valid, ...invalid, ...mended];
}

function asTests(name: string, { valid, invalid }: RuleCases): Parameters<RuleTester['run']>[2] {
  return {
    valid: valid.map((each) => ({ name: each.name, code: moduleOf(each.code) })),
    invalid: invalid.map((each) => ({
      name: each.name,
      code: moduleOf(each.code),
      errors: [
        {
          messageId: each.finds,
          ...(each.mended === null
            ? {}
            : { suggestions: [{ messageId: suggestionOf[name] ?? '', output: moduleOf(each.mended) }] }),
        },
      ],
    })),
  };
}

const suggestionOf: Readonly<Record<string, string>> = {
  'pass-signal': 'pass',
  'take-signal': 'take',
  'rethrow-stops': 'rethrow',
};

/** The parser, with a program that knows the cases by their text: the tester knows no file names and no programs. */
function withProgram(program: ts.Program): Linter.Parser {
  return {
    meta: { name: 'with-program', version: '1' },
    parseForESLint: (text: string, given: parser.ParserOptions) =>
      parser.parseForESLint(text, { ...given, programs: [program], filePath: fileOf(text) }),
  } as Linter.Parser;
}
