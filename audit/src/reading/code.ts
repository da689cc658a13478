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
import { around, bare, isFunction, walk, type FunctionNode } from './syntax.ts';

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

  /** The function that stands at a place: written there, or by its name. */
  functionAt(node: TSESTree.Node): FunctionNode | undefined {
    const value = bare(node);
    if (isFunction(value)) return value;
    if (value.type !== 'Identifier') return undefined;
    const declared = this.variable(value)?.defs[0];
    if (declared?.type === 'FunctionName' && isFunction(declared.node)) return declared.node;
    const init = this.initOf(value);
    return init !== undefined && isFunction(init) ? init : undefined;
  }

  /** What a name, or a field of the class around it, was given: where it was declared, or else at first. */
  givenTo(node: TSESTree.Node): TSESTree.Node | undefined {
    const value = bare(node);
    if (value.type === 'Identifier') {
      const written = this.variable(value)?.references.map((each) => each.writeExpr);
      const given = written?.find((each) => each && isMade(each)) ?? this.initOf(value);
      return given === undefined ? undefined : bare(given);
    }
    if (value.type !== 'MemberExpression' || value.object.type !== 'ThisExpression') return undefined;
    const given = this.#givenToField(value);
    return given === undefined ? undefined : bare(given);
  }

  #givenToField(field: TSESTree.MemberExpression): TSESTree.Node | undefined {
    const name = this.text(field.property);
    for (const [body] of around(field)) {
      if (body.type !== 'ClassBody') continue;
      let found: TSESTree.Node | undefined;
      this.walk(
        body,
        (node) => {
          if (node.type === 'PropertyDefinition' && this.text(node.key) === name && isMade(node.value)) {
            found ??= node.value;
          }
          if (node.type !== 'AssignmentExpression' || !isMade(node.right)) return;
          const { left } = node;
          if (left.type !== 'MemberExpression' || left.object.type !== 'ThisExpression') return;
          if (this.text(left.property) === name) found ??= node.right;
        },
        true,
      );
      return found;
    }
    return undefined;
  }

  /** The text of a function of the project that is called. */
  declarationOf(call: TSESTree.CallExpression): string | undefined {
    const declared = this.checker.getResolvedSignature(this.tsNode(call) as ts.CallLikeExpression)?.declaration;
    if (declared === undefined || /\/node_modules\//.test(declared.getSourceFile().fileName)) return undefined;
    return declared.getText();
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

function isMade(value: TSESTree.Node | null): value is TSESTree.Expression {
  return value !== null && ['CallExpression', 'NewExpression', 'AwaitExpression'].includes(bare(value).type);
}
