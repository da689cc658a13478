/**
 * One file with its types, as the rules see it. Made once per file, whichever rule asks first.
 *
 * @module
 */
import {
  ESLintUtils,
  type ParserServicesWithTypeInformation,
  type TSESLint,
  type TSESTree,
} from '@typescript-eslint/utils';
import type * as ts from 'typescript';

import { StopTypes } from './stop-types.ts';
import { walk } from './syntax.ts';

const codes = new WeakMap<object, Code>();
const typeReaders = new WeakMap<ts.TypeChecker, StopTypes>();

/** A file with its types. */
export class Code {
  readonly services: ParserServicesWithTypeInformation;
  readonly source: Readonly<TSESLint.SourceCode>;
  readonly checker: ts.TypeChecker;
  readonly types: StopTypes;

  private constructor(services: ParserServicesWithTypeInformation, source: Readonly<TSESLint.SourceCode>) {
    this.services = services;
    this.source = source;
    this.checker = services.program.getTypeChecker();
    const known = typeReaders.get(this.checker) ?? new StopTypes(this.checker);
    typeReaders.set(this.checker, known);
    this.types = known;
  }

  /** @throws {Error} Where the parser gives no types. */
  static of(context: Readonly<TSESLint.RuleContext<string, readonly unknown[]>>): Code {
    const known = codes.get(context.sourceCode);
    if (known !== undefined) return known;
    const made = new Code(ESLintUtils.getParserServices(context), context.sourceCode);
    codes.set(context.sourceCode, made);
    return made;
  }

  text(node: TSESTree.Node): string {
    return this.source.getText(node);
  }

  /** A short way to name a call in a sentence. */
  label(call: TSESTree.CallExpression): string {
    const whole = this.text(call.callee).replace(/\s+/g, ' ');
    return `${whole.length <= 48 ? whole : `…${whole.slice(-46)}`}(…)`;
  }

  typeAt(node: TSESTree.Node): ts.Type {
    return this.services.getTypeAtLocation(node);
  }

  tsNode(node: TSESTree.Node): ts.Node {
    return this.services.esTreeNodeToTSNodeMap.get(node);
  }

  typeOf(symbol: ts.Symbol, at: TSESTree.Node): ts.Type {
    return this.checker.getTypeOfSymbolAtLocation(symbol, this.tsNode(at));
  }

  /** The type that the place of an expression asks for. */
  wantedType(node: TSESTree.Node): ts.Type | undefined {
    return this.checker.getContextualType(this.tsNode(node) as ts.Expression);
  }

  walk(node: TSESTree.Node, visit: (node: TSESTree.Node) => unknown, deep = false): void {
    walk(this.source.visitorKeys, node, visit, deep);
  }

  /** Whether a node, or one in it, is what is looked for. */
  has(node: TSESTree.Node, wanted: (node: TSESTree.Node) => boolean, deep = false): boolean {
    let found = false;
    this.walk(
      node,
      (each) => {
        found ||= wanted(each);
        return !found;
      },
      deep,
    );
    return found;
  }

  variable(identifier: TSESTree.Identifier): TSESLint.Scope.Variable | undefined {
    for (
      let scope: TSESLint.Scope.Scope | null = this.source.getScope(identifier);
      scope !== null;
      scope = scope.upper
    ) {
      const found = scope.set.get(identifier.name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** What a name was given where it was declared. */
  initOf(node: TSESTree.Node): TSESTree.Expression | undefined {
    if (node.type !== 'Identifier') return undefined;
    const declared = this.variable(node)?.defs[0]?.node;
    return declared?.type === 'VariableDeclarator' && declared.id.type === 'Identifier'
      ? (declared.init ?? undefined)
      : undefined;
  }
}
