/**
 * A function is offered a signal, by its type or a parameter, and leaves it out or never reads it.
 *
 * @module
 */
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';
import type * as ts from 'typescript';

import { packageOf, placeOf } from '../reading/accepts.ts';
import { carriedBy } from '../reading/carries.ts';
import { Code } from '../reading/code.ts';
import { isEnding } from '../reading/handed.ts';
import { registersListener, toolFunction } from '../reading/names.ts';
import { callsWanted, leftOut, offerIn, offerText, type Offer } from '../reading/offers.ts';
import { inReach } from '../reading/reach.ts';
import { calledName, functionAround, keyName, type FunctionNode } from '../reading/syntax.ts';
import { goesOn } from '../reading/work.ts';
import { createRule } from './rule.ts';

export const takeSignal = createRule({
  name: 'take-signal',
  meta: {
    type: 'suggestion',
    docs: { description: 'A function that is offered a signal takes it', recommended: true },
    hasSuggestions: true,
    schema: [],
    messages: {
      leftOut: 'On Stop, {{fn}} is told through {{offer}} and does not take it: its work runs on.',
      unread: 'On Stop, {{fn}} is told through {{offer}} and never reads it: its work runs on.',
      byName: 'On Stop, {{fn}} is told through {{offer}}, but has no parameter for it: its work runs on.',
      take: 'Take {{parameter}}.',
    },
  },
  create(context) {
    const code = Code.of(context);

    function check(fn: FunctionNode): void {
      if (isListener(fn)) return;
      const unread = unreadParameter(code, fn);
      if (unread !== undefined) {
        if (unread.isSignal || isTool(fn) ? goesOn(code, fn) : couldPass(code, fn)) {
          context.report({
            node: unread.node,
            messageId: 'unread',
            data: { fn: labelOf(code, fn), offer: `\`${unread.offer}\`` },
          });
        }
        return;
      }
      const offer = leftOut(code, fn);
      if (offer === undefined || inReach(code, fn.body).length > 0) return;
      if (!(isTool(fn) ? goesOn(code, fn) : couldPass(code, fn))) return;
      context.report({
        node: fn,
        loc: headOf(code, fn),
        messageId: 'leftOut',
        data: { fn: labelOf(code, fn), offer: `\`${offerText(offer)}\`` },
        suggest: canTake(fn, offer)
          ? [
              {
                messageId: 'take',
                data: { parameter: `\`${offerText(offer)}\`` },
                fix: (fixer) =>
                  fixer.insertTextAfter(
                    fn.params.at(-1) as TSESTree.Parameter,
                    offer.path === undefined ? `, ${offer.parameter}` : `, { ${offer.path} }`,
                  ),
              },
            ]
          : [],
      });
    }

    function checkName(value: TSESTree.Node, wanted: readonly ts.Signature[]): void {
      if (value.type !== 'Identifier' && value.type !== 'MemberExpression') return;
      const offer = offerIn(code, wanted, value, 0);
      if (offer === undefined) return;
      const own = code.types.callsOf(code.typeAt(value));
      const [only] = own;
      if (only === undefined || own.length !== 1 || wanted.includes(only)) return;
      if (only.declaration === undefined || packageOf(only.declaration.getSourceFile().fileName) !== undefined) return;
      if (!code.types.isAsync(only.getReturnType()) || offerIn(code, own, value, 0) !== undefined) return;
      const untyped = only.parameters.some((each) => code.types.isAny(code.typeOf(each, value)));
      if (untyped || only.parameters.length > offer.index) return;
      context.report({
        node: value,
        messageId: 'byName',
        data: { fn: `\`${code.text(value)}\``, offer: `\`${offerText(offer)}\`` },
      });
    }

    return {
      ArrowFunctionExpression: check,
      FunctionExpression: check,
      FunctionDeclaration: check,
      Property(property) {
        if (property.parent.type !== 'ObjectExpression' || !toolFunction.test(keyName(property.key) ?? '')) return;
        const table = code.wantedType(property.parent);
        const member = table && code.checker.getPropertyOfType(table, keyName(property.key) ?? '');
        if (member !== undefined) checkName(property.value, code.types.callsOf(code.typeOf(member, property)));
      },
    };

    /** What a function is called in a sentence. */
    function labelOf(reader: Code, fn: FunctionNode): string {
      const name = fn.id?.name ?? keyOf(fn);
      if (name !== undefined) return `\`${name}\``;
      if (fn.parent.type === 'CallExpression')
        return `the function given to \`${reader.text(fn.parent.callee).slice(0, 48)}\``;
      return 'this function';
    }
  },
});

function keyOf(fn: FunctionNode): string | undefined {
  const { parent } = fn;
  if (parent.type === 'Property' || parent.type === 'MethodDefinition' || parent.type === 'PropertyDefinition') {
    return keyName(parent.key);
  }
  return parent.type === 'VariableDeclarator' ? keyName(parent.id) : undefined;
}

/** The first line of a function, or its name: the whole would be all of a file in an editor. */
function headOf(code: Code, fn: FunctionNode): TSESTree.SourceLocation {
  const first = code.source.getFirstToken(fn);
  const body = code.source.getTokenBefore(fn.body);
  return { start: (first ?? fn).loc.start, end: (body ?? fn).loc.end };
}

/** A place that types the parameter; a member of a class has to write its type down. */
function canTake(fn: FunctionNode, offer: Offer): boolean {
  if (offer.index !== fn.params.length || fn.params.length === 0 || fn.parent.parent?.type === 'ClassBody')
    return false;
  return offer.path?.includes('.') !== true;
}

function isListener(fn: FunctionNode): boolean {
  return (
    fn.parent.type === 'CallExpression' && fn.parent.callee !== fn && registersListener.test(calledName(fn.parent))
  );
}

/** A function of a table of tools: by its key, or as the handler that is the last argument where a tool is registered. */
function isTool(fn: FunctionNode): boolean {
  const key = keyOf(fn);
  if (key !== undefined) return toolFunction.test(key);
  return (
    fn.parent.type === 'CallExpression' &&
    /tool|handler/i.test(calledName(fn.parent)) &&
    fn.parent.arguments.at(-1) === fn
  );
}

interface Unread {
  readonly node: TSESTree.Node;
  readonly offer: string;
  /** Whether it is the signal itself, and not something that holds one. */
  readonly isSignal: boolean;
}

/** A parameter that is or holds a signal and is not read; nothing if another one is. */
function unreadParameter(code: Code, fn: FunctionNode): Unread | undefined {
  let unread: Unread | undefined;
  for (const variable of code.source.getDeclaredVariables(fn)) {
    const definition = variable.defs[0];
    if (definition === undefined || definition.type !== 'Parameter' || definition.name.type !== 'Identifier') continue;
    const type = code.typeAt(definition.name);
    const path =
      code.types.signalKind(type) !== undefined || code.types.isSource(type) ? '' : code.types.signalPath(type);
    if (path === undefined) continue;
    if (isRead(variable) || isTakenOut(definition.name) || isPositional(fn, variable)) return undefined;
    unread ??= {
      node: definition.name,
      offer: path === '' ? variable.name : `${variable.name}.${path}`,
      isSignal: path === '',
    };
  }
  return unread ?? notDestructured(code, fn);
}

/** `({ signal: _, ...rest }) => …`: taken out of what goes on, on purpose. */
function isTakenOut(name: TSESTree.Identifier): boolean {
  const pattern = name.parent.parent;
  return pattern?.type === 'ObjectPattern' && pattern.properties.some((each) => each.type === 'RestElement');
}

/** `(_context, allowed) => …` of a callback: it stands there for the one behind it. */
function isPositional(fn: FunctionNode, { name }: TSESLint.Scope.Variable): boolean {
  return name.startsWith('_') && fn.parent.type === 'CallExpression' && fn.params.length > 1 && !isTool(fn);
}

function isRead(variable: TSESLint.Scope.Variable): boolean {
  return variable.references.some((each) => each.isRead());
}

/** `({ toolCallId }) => …` of a context that has a signal too. */
function notDestructured(code: Code, fn: FunctionNode): Unread | undefined {
  if (!isTool(fn)) return undefined;
  const wanted = callsWanted(code, fn);
  for (const [index, parameter] of fn.params.entries()) {
    if (parameter.type !== 'ObjectPattern' || parameter.properties.some((each) => each.type === 'RestElement'))
      continue;
    const offer = offerIn(code, wanted, fn, index);
    if (offer?.index !== index || offer.path === undefined || offer.path.includes('.')) continue;
    const taken = parameter.properties.some((each) => each.type === 'Property' && keyName(each.key) === offer.path);
    // A function of the context has the signal of the context.
    if (parameter.properties.some((each) => code.types.callsOf(code.typeAt(each)).length > 0)) continue;
    if (!taken) return { node: parameter, offer: offer.path, isSignal: false };
  }
  return undefined;
}

/** Whether a call in a function could take the signal. */
function couldPass(code: Code, fn: FunctionNode): boolean {
  return code.has(
    fn.body,
    (node) =>
      node.type === 'CallExpression' &&
      functionAround(node) === fn &&
      code.types.isAsync(code.typeAt(node)) &&
      carriedBy(code, node.arguments) === 'none' &&
      placeOf(code, node) !== undefined &&
      !isEnding(code, node),
  );
}
