/**
 * Puts the tools of any framework under a turn: nothing starts after a stop, a deaf tool is answered within its
 * grace, and the turn's ledger has a row for every call.
 *
 * Prior art: none that keeps a tool's own shape; frameworks hand a signal to a tool and then wait for it.
 *
 * @module
 */
import {
  isObject,
  optionalFlag,
  quoted,
  requireFunction,
  requireMs,
  requireOneOf,
  requireOptions,
  type OptionNames,
  show,
  wrongType,
} from '../core/foundation/check.ts';
import { fieldsOf, text } from '../core/interrupt/calls/call-identity.ts';
import { requireTurn } from '../core/interrupt/turn/turn-of-token.ts';
import type { GuardOptions, InnerGuardOptions } from './guarded-call.ts';
import { ToldForms } from './results/told-forms.ts';
import { guardOf, markGuarded, unguarded } from './originals.ts';
import { startGuarded } from './pieces/guarded-stream.ts';
import { asRequest } from './requests.ts';
import { hasFields, isPlain, membersOf, replaceFunction, replaceMethods, type Around, type Method } from './shapes.ts';
import { requireDialect } from './told-words.ts';

/**
 * A tool that obeys Stop: the same object to its framework – same type, same prototype, same fields – with `execute`,
 * `invoke`, `call`, `run`, `runAsync` and `handler` guarded, that of Strands with `stream` too, or the function itself if it is one.
 *
 * A call finds its turn by the `abortSignal` or `signal` among its arguments, so tools stay module constants. It gets a
 * row in that turn's ledger and a signal of its own, which a message to the agent does not touch; by that signal
 * `toolContextOf` finds what else the call can do. A literal that holds the signal is read through a proxy, and written to
 * as itself; an instance of a class, such as a `Request`, is handed over untouched, with the signal that it has.
 * A signal of nobody's turn is obeyed all the same, without a ledger; a call that is given no signal can only be reached
 * through `turn`. Inside, `this` is the tool itself: what its methods call of each other is not guarded again.
 *
 * A guarded call returns a promise, also where the tool's own type says otherwise: frameworks await it. What a tool returns at
 * once to be read – an async generator, a stream, an object of one's own – stays that. Such a call lasts until all was read or its
 * reader has left; one that is forgotten half-read keeps its turn open until it is stopped. A stream of Node is returned itself, and
 * its call lasts until its `end`, `error` or `close`, or the `finish` of one for writing; one of the web has another in its place.
 * Both may be used in any way, a stop destroys them, and their chunks are in no row. Readers and listeners for errors hear its reason, and an
 * error that they only throw again ends no process; a stream that is made of one (`map`, `compose`, `Duplex.from`, `wrap`) fails
 * with it too, and needs such a listener of its own. Any other object is read by `for await`, and
 * another method that is called first ends the call, as `close`, `destroy` and a disposer do at any time. A refused call returns a promise that can be iterated too.
 *
 * A call that another call of the turn makes is known by its signal, by the flow of calls of `desist/ambient`, or, where
 * the guard is given its `turn` and the call no id, by a call of `turn.tools` that runs meanwhile.
 *
 * @checkpoint always, before and after; what was finished after the stop stands in the error's `completed`
 * @param tool A tool of the AI SDK, LangChain, OpenAI Agents, Mastra, an MCP handler, or your own.
 * @param options A grace in milliseconds, a turn, what a message does, where the id of a call is.
 * @returns The guarded tool; guarded again it is guarded once.
 * @throws TypeError, RangeError – nothing in it can be run, or an option makes no sense. A stopped call rejects with
 * `CancelledError`.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { guardTool } from 'desist/guard'
 *
 * const search = guardTool({
 *   name: 'search',
 *   execute: async (query: string, _options: { abortSignal: AbortSignal }) => `${query}: 3 hits`,
 * })
 * const report = await new InterruptController().runTurn(({ signal }) =>
 *   search.execute('desist', { abortSignal: signal }),
 * )
 * report.unwrap() // => 'desist: 3 hits'
 * report.calls.map(({ name, status }) => `${name}: ${status}`) // => ['search: completed']
 * ```
 * @since 0.1.0
 */
export function guardTool<T extends object>(tool: T, options: GuardOptions = {}): T {
  const guarded = guard(tool, undefined, checked(options));
  if (guarded === undefined) throw new TypeError(`a tool must have ${calls.join(', ')}, got ${show(tool)}`);
  return guarded;
}

/**
 * {@link guardTool} for a whole set, as a list or by name. What declares a tool of the provider's or the client's, and holds
 * no function but hooks and schemas, is passed on as it is. Anything else is refused, with the names of what it could run. A
 * tool's fields may hold instances, which are data: nobody looks for tools in them.
 *
 * @checkpoint always, before and after each call
 * @param tools A record, whose keys name the tools, or an array.
 * @param options A grace in milliseconds, a turn, what a message does, where the id of a call is.
 * @returns A new record or array of the same type.
 * @throws TypeError, RangeError – neither of the two, a tool of which nothing would be guarded, or an option that makes no sense.
 * @example
 * ```ts
 * import { guardTools } from 'desist/guard'
 *
 * const tools = guardTools({ add: { run: async (a: number, b: number) => a + b } }, { graceMs: 0 })
 * await tools.add.run(1, 2) // => 3
 * ```
 * @since 0.1.0
 */
export function guardTools<T extends Readonly<Record<string, object>> | readonly object[]>(
  tools: T,
  options: GuardOptions = {},
): T {
  return guardLoop(tools, options, {});
}

/** {@link guardTools} for a door. */
export function guardLoop<T extends Readonly<Record<string, object>> | readonly object[]>(
  tools: T,
  options: GuardOptions,
  inner: Omit<InnerGuardOptions, keyof GuardOptions>,
): T {
  const settings = { ...checked(options), ...inner };
  if (!hasFields(tools) || typeof tools === 'function') throw wrongType('tools', 'a record or an array', tools);
  const isList = Array.isArray(tools);
  const guardEach = ([key, tool]: readonly [string, unknown]): readonly [string, unknown] => {
    if (!hasFields(tool)) return [key, tool];
    const name = isList ? undefined : key;
    const guarded = guard(tool, name, settings);
    if (guarded === undefined) requireNoCall(tool, name);
    return [key, guarded ?? tool];
  };
  const entries = Object.entries(tools as Readonly<Record<string, unknown>>).map(guardEach);
  // Such as a Map, whose tools would all be lost.
  if (entries.length === 0 && !isList && !isPlain(tools)) throw wrongType('tools', 'a record or an array', tools);
  const guarded: unknown = isList ? entries.map(([, tool]) => tool) : Object.fromEntries(entries);
  return guarded as T;
}

const optionNames: OptionNames<GuardOptions> = {
  turn: 1,
  graceMs: 1,
  onInterject: 1,
  aside: 1,
  identify: 1,
  dialect: 1,
  toResult: 1,
};

function checked(options: GuardOptions): GuardOptions {
  requireOptions(options, optionNames);
  const { graceMs, onInterject, turn, identify, dialect, toResult } = options;
  const aside = optionalFlag('aside', options.aside);
  if (graceMs !== undefined) requireMs('graceMs', graceMs, 'infinity-allowed');
  if (onInterject !== undefined) requireOneOf('onInterject', onInterject, ['finish', 'cancel', 'yield']);
  if (dialect !== undefined) requireDialect(dialect);
  if (turn !== undefined) requireTurn(turn);
  if (identify !== undefined) requireFunction('identify', identify);
  if (toResult !== undefined) {
    requireFunction('toResult', toResult);
    if (dialect === undefined)
      throw new TypeError('options.toResult makes a result of the words of options.dialect, got none');
  }
  return { graceMs, onInterject, aside, turn, identify, dialect, toResult };
}

/** What the ledger calls it: its key, or its own name. */
function nameOf(tool: object, key: string | undefined): string {
  const { name, id, function: inner } = tool as Readonly<Record<string, unknown>>;
  return text(key) ?? text(name) ?? text(id) ?? text(fieldsOf(inner)['name']) ?? 'tool';
}

/** The methods by which frameworks call a tool. */
const calls = ['execute', 'invoke', 'call', 'run', 'runAsync', 'handler'] as const satisfies readonly string[];

/** What is called of one that runs elsewhere: what a tool is told or asked, and how something of it looks. */
const hooks = /^(?:on|to|is|needs|requires?|experimental_to)[A-Z_]|^(?:description|title)$/;

/** What has methods and is no tool: what arguments are checked by, and what the SDK of OpenAI Agents works on by itself. */
const opaque = /[sS]chema$|^(?:parameters|parse|computer|editor)$/;

/** By what a model is told of a tool that runs elsewhere. */
const declaring = [
  ...['type', 'id', 'name', 'description'],
  ...['parameters', 'inputSchema', 'input_schema', 'schema', 'function'],
] as const;

/** Whether a framework could call it as a tool. */
function canCall(value: unknown): boolean {
  return isObject(value) && callsOf(value).some((name) => typeof fieldsOf(value)[name] === 'function');
}

/** A getter of a class is not asked, but for what a model is told: it stands for what it gives. */
function partOf(value: object, name: PropertyKey, own: PropertyDescriptor | undefined): unknown {
  const isAsked = Object.hasOwn(value, name) || (declaring as readonly PropertyKey[]).includes(name);
  return (isAsked ? undefined : fieldsOf(own)['get']) ?? Reflect.get(value, name);
}

/** What a tool and its classes have, or a set in it: literals and collections are looked through, another instance is data. */
function partsOf(value: object, isTool: boolean): (readonly [string, unknown])[] {
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return Object.entries([...value]);
  const members = isTool || isPlain(value) ? membersOf(value) : {};
  return Reflect.ownKeys(members)
    .filter((name) => members[name]?.enumerable === true || !Object.hasOwn(value, name))
    .map((name) => [String(name), partOf(value, name, members[name])] as const)
    .filter(([name, part]) => !(typeof part === 'function' && hooks.test(name)))
    .filter(([name, part]) => !opaque.test(name) || (!isTool && canCall(part)));
}

/** What can run in something and nobody has guarded, by the names that lead to it. */
function openIn(value: object, path = '', seen = new Set<unknown>([value])): string[] {
  return partsOf(value, path === '').flatMap(([name, part]) => {
    if (!hasFields(part) || seen.has(part) || guardOf(part) !== undefined) return [];
    seen.add(part);
    const own = path + name;
    return typeof part === 'function' || canCall(part) ? [own] : openIn(part, `${own}.`, seen);
  });
}

/** Whether a model could be told of it. A set may use these names too, but what it holds there are tools. */
function isDeclared(tool: object): boolean {
  return declaring.some((name) => {
    const value = fieldsOf(tool)[name];
    return text(value) !== undefined || (hasFields(value) && !canCall(value) && guardOf(value) === undefined);
  });
}

/**
 * Refuses what holds nothing to guard and is no tool of somebody else's.
 *
 * @throws TypeError – it holds what can run, which might be its call; or it declares no tool, as a set of them.
 */
function requireNoCall(tool: object, key: string | undefined): void {
  const open = openIn(tool);
  if (open.length === 0 && isDeclared(tool)) return;
  const why =
    open.length === 0
      ? 'and it declares no tool by a name, a type or a schema'
      : `which has ${open.map(quoted).join(', ')} and no ${calls.join(', ')}`;
  throw new TypeError(
    `nothing of ${quoted(nameOf(tool, key))} would be guarded, ${why}: guard each set by itself and by guardTool() what its framework calls, or leave it out`,
  );
}

function callsOf(tool: object): readonly string[] {
  // Strands calls `stream`; what others call so opens what is read after the call.
  return hasFields((tool as { readonly toolSpec?: unknown }).toolSpec) ? [...calls, 'stream'] : calls;
}

/** What a guard was given, and for the rest what the one before it was; that one's turn is over, or is not this one's. */
export function withEarlier<T extends GuardOptions>(options: T, tool: object): T {
  const earlier = guardOf(tool);
  if (earlier === undefined) return options;
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...earlier, turn: undefined, ...Object.fromEntries(given) } as T;
}

/** What a guard is known by: the tool, and its methods, which a copy has too. */
function marksOf(tool: object): object[] {
  return [tool, ...callsOf(tool).map((name) => fieldsOf(tool)[name])].filter(hasFields);
}

/** `undefined` if there is nothing to guard. */
function guard<T extends object>(given: T, key: string | undefined, own: InnerGuardOptions): T | undefined {
  const tool = unguarded(given);
  const name = nameOf(tool, key);
  const earlier = withEarlier(own, marksOf(given).find(guardOf) ?? given);
  const forms = earlier.forms ?? (earlier.dialect && new ToldForms());
  const options = { ...earlier, forms };
  const around: Around = (fn, args, self) => {
    const method = unguarded(fn);
    const run = asRequest(tool, name, (own) => Reflect.apply(method, self, own));
    return startGuarded({ name, tool, args, options, run }, method);
  };
  const guarded =
    typeof tool === 'function'
      ? replaceFunction(tool as T & Method, around)
      : replaceMethods(tool, Object.fromEntries(callsOf(tool).map((method) => [method, around])));
  // What a door says to its own loop is for no other.
  const { within: _within, onTold: _onTold, forms: _forms, late: _late, ...settings } = options;
  if (guarded === undefined) return undefined;
  for (const each of marksOf(guarded)) markGuarded(each, settings);
  return forms === undefined || own.forms !== undefined ? guarded : forms.around(guarded);
}
