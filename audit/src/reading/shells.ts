/**
 * Child processes that are seen to be shells: killing one leaves what it started.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';

import type { Code } from './code.ts';
import { bare, calledName, keyName } from './syntax.ts';

const shells = /^(?:.*[\\/])?(?:ba|z|da|k|fi|c)?sh(?:\.exe)?$|^(?:cmd|powershell|pwsh)(?:\.exe)?$/i;

/** Whether a call starts a shell, in a group that nobody can signal as a whole. */
export function startsShell(code: Code, node: TSESTree.Node): boolean {
  if (node.type !== 'CallExpression') return false;
  const name = nameDeclared(code, node);
  if (!/^(?:exec|spawn|execa|execaCommand|fork|execFile|execAsync|\$)$/.test(name)) return false;
  if (isDetached(code, node)) return false;
  // A pseudo-terminal has a `spawn` and a `kill` too: its end reaches all that is in it.
  if (!isOfChildProcess(code, node)) return false;
  if (/^(?:exec|execAsync)$/.test(name)) return true;
  const [command] = node.arguments;
  const isShell = command?.type === 'Literal' && typeof command.value === 'string' && shells.test(command.value);
  return isShell || optionOf(code, node, 'shell', isShellOption);
}

/** An import may have another name here. */
function nameDeclared(code: Code, call: TSESTree.CallExpression): string {
  const name = calledName(call);
  const definition = call.callee.type === 'Identifier' ? code.variable(call.callee)?.defs[0]?.node : undefined;
  return definition?.type === 'ImportSpecifier' ? (keyName(definition.imported) ?? name) : name;
}

function isOfChildProcess(code: Code, call: TSESTree.CallExpression): boolean {
  return code.types
    .namesOf(code.typeAt(call))
    .some((name) => /ChildProcess|PromiseWithChild|Subprocess|ResultPromise/.test(name));
}

/** A group of its own: `process.kill(-pid)` reaches all of it. */
function isDetached(code: Code, call: TSESTree.CallExpression): boolean {
  return optionOf(code, call, 'detached', (value) => value.type !== 'Literal' || value.value !== false);
}

/** `shell: true`, or the name of one; what depends on the platform is not seen to be one. */
function isShellOption(value: TSESTree.Node): boolean {
  return value.type === 'Literal' && Boolean(value.value);
}

function optionOf(
  code: Code,
  call: TSESTree.CallExpression,
  name: string,
  holds: (value: TSESTree.Node) => boolean,
): boolean {
  return call.arguments.some((argument) => {
    const given = bare(argument);
    const options = given.type === 'Identifier' ? bare(code.initOf(given) ?? given) : given;
    return (
      options.type === 'ObjectExpression' &&
      options.properties.some((each) => each.type === 'Property' && keyName(each.key) === name && holds(each.value))
    );
  });
}

/** The call that a name, or a field of a class, was started by. */
export function startOf(code: Code, node: TSESTree.Node): TSESTree.Node | undefined {
  const given = code.givenTo(node);
  // `const child = this.#child`
  return given?.type === 'MemberExpression' ? code.givenTo(given) : given;
}
