/**
 * What a type has to do with stopping: whether it is a signal, a source of one, or holds one.
 *
 * Types are recognised by name, as libraries and Node each declare an `AbortSignal` of their own. No TypeScript is
 * imported at run time: in an editor the types come from the project's own, whose numbers for kinds may be others.
 *
 * @module
 */
import type * as ts from 'typescript';

/** `AbortSignal`, a token of `desist`, a token of another library (VS Code's), or a controller that has a signal. */
export type SignalKind = 'signal' | 'token' | 'foreign-token' | 'controller';

const tokenNames: ReadonlySet<string> = new Set(['CancellationToken', 'LinkedCancellationToken']);
const sourceNames: ReadonlySet<string> = new Set(['AbortController', 'CancellationTokenSource']);

/** Under which names options and contexts hold a signal, the most frequent first. */
const propertyNames = [
  'signal',
  'abortSignal',
  'token',
  'cancellationToken',
  'cancelSignal',
  'abort',
  'abort_signal',
] as const;

/** Some take the whole controller. */
const controllerName = 'abortController';

/** Parts of a context that hold the signal of the request at hand. */
const holderNames = ['mcpReq', 'requestOptions'] as const;

/** `ts.TypeFlags.Any`: 1 in every version there has been. */
const anyFlag = 1;

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

function namesOf(type: ts.Type): readonly string[] {
  const own = (type as { readonly symbol?: ts.Symbol }).symbol?.name ?? type.aliasSymbol?.name;
  const inner = type.isIntersection() ? type.types.flatMap(namesOf) : [];
  return own === undefined ? inner : [own, ...inner];
}

/** Reads types of one program; what was found is kept for all rules and files. */
export class StopTypes {
  readonly #checker: ts.TypeChecker;
  readonly #kinds = new WeakMap<ts.Type, SignalKind | null>();
  readonly #paths = new WeakMap<ts.Type, string | null>();
  readonly #async = new WeakMap<ts.Type, boolean>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** Which kind of signal a value of this type is or may be. */
  signalKind(type: ts.Type): SignalKind | undefined {
    const known = this.#kinds.get(type);
    if (known !== undefined) return known ?? undefined;
    const kind = partsOf(type)
      .map((part) => this.#kindOf(part))
      .find((each) => each !== undefined);
    this.#kinds.set(type, kind ?? null);
    return kind;
  }

  /** By name, or by what only such an object has: libraries declare the shape of a signal anew. */
  #kindOf(part: ts.Type): SignalKind | undefined {
    const names = namesOf(part);
    if (names.includes('AbortSignal') || (this.#has(part, 'aborted') && this.#has(part, 'addEventListener')))
      return 'signal';
    if (names.some((name) => tokenNames.has(name)) && this.#has(part, 'throwIfCancelled')) return 'token';
    return this.#has(part, 'isCancellationRequested') && this.#has(part, 'onCancellationRequested')
      ? 'foreign-token'
      : undefined;
  }

  #has(part: ts.Type, name: string): boolean {
    return this.#checker.getPropertyOfType(part, name) !== undefined;
  }

  isSource(type: ts.Type): boolean {
    return partsOf(type).some((part) => namesOf(part).some((name) => sourceNames.has(name)));
  }

  /** Where in a value of this type a signal is: `signal`, `abortSignal`, `mcpReq.signal`; nothing if nowhere. */
  signalPath(type: ts.Type): string | undefined {
    const known = this.#paths.get(type);
    if (known !== undefined) return known ?? undefined;
    // A type may hold itself.
    this.#paths.set(type, null);
    const path = this.#findPath(type, true);
    this.#paths.set(type, path ?? null);
    return path;
  }

  #findPath(type: ts.Type, deeper: boolean): string | undefined {
    for (const part of partsOf(type)) {
      if (this.signalKind(part) !== undefined || this.isSource(part)) continue;
      if (this.#checker.isArrayType(part) || part.getCallSignatures().length > 0) continue;
      const whole = this.#checker.getApparentType(part);
      // A request of Node's server: its signal tells that the client went, and it is given on for all else it has.
      if (this.#checker.getPropertyOfType(whole, 'httpVersion') !== undefined) continue;
      for (const name of propertyNames) {
        const property = this.#checker.getPropertyOfType(whole, name);
        if (property !== undefined && this.signalKind(this.#checker.getTypeOfSymbol(property)) !== undefined)
          return name;
      }
      const controller = this.#checker.getPropertyOfType(whole, controllerName);
      if (controller !== undefined && this.isSource(this.#checker.getTypeOfSymbol(controller))) return controllerName;
      for (const name of deeper ? holderNames : []) {
        const property = this.#checker.getPropertyOfType(whole, name);
        const path = property && this.#findPath(this.#checker.getTypeOfSymbol(property), false);
        if (path !== undefined) return `${name}.${path}`;
      }
    }
    return undefined;
  }

  /** Which kind of signal is at the end of a path. */
  kindAt(type: ts.Type, path: string): SignalKind | undefined {
    const at = this.#typeAt(type, path);
    if (at === undefined) return undefined;
    return this.signalKind(at) ?? (this.isSource(at) ? 'controller' : undefined);
  }

  /** Whether the signal at the end of a path may be missing. */
  isOptionalAt(type: ts.Type, path: string): boolean {
    const at = this.#typeAt(type, path);
    return at !== undefined && this.isOptional(at);
  }

  #typeAt(type: ts.Type, path: string): ts.Type | undefined {
    let at: ts.Type | undefined = type;
    for (const name of path.split('.')) {
      const property: ts.Symbol | undefined = partsOf(at)
        .map((part) => this.#checker.getPropertyOfType(this.#checker.getApparentType(part), name))
        .find((each) => each !== undefined);
      at = property && this.#checker.getTypeOfSymbol(property);
      if (at === undefined) return undefined;
    }
    return at;
  }

  /** Whether work goes on behind a value of this type: a promise, a stream, or an object that holds one. */
  isAsync(type: ts.Type): boolean {
    const known = this.#async.get(type);
    if (known !== undefined) return known;
    this.#async.set(type, false);
    const found = partsOf(type).some((part) => this.#isPending(part) || this.#holdsPending(part));
    this.#async.set(type, found);
    return found;
  }

  #isPending(part: ts.Type): boolean {
    if (this.#has(part, 'then')) return true;
    if (namesOf(part).some((name) => /^Async(?:Generator|Iterable|Iterator|IterableIterator)/.test(name))) return true;
    // A stream of Node or of a browser is a thing to read from; work begins where it was got.
    const symbol = (part as { readonly symbol?: ts.Symbol }).symbol;
    const file = symbol?.declarations?.[0]?.getSourceFile().fileName ?? '';
    if (/node_modules\/(?:@types\/node|typescript|undici-types)\//.test(file)) return false;
    return this.#checker.getPropertiesOfType(part).some(({ name }) => name.startsWith('__@asyncIterator'));
  }

  /** `streamText` gives an object of promises and streams at once. */
  #holdsPending(part: ts.Type): boolean {
    return ['textStream', 'fullStream', 'stream', 'finished', 'completed', 'done', 'result'].some((name) => {
      const property = this.#checker.getPropertyOfType(part, name);
      return (
        property !== undefined && partsOf(this.#checker.getTypeOfSymbol(property)).some((each) => this.#isPending(each))
      );
    });
  }

  /**
   * Whether a value of this type finds its way to callees by itself: its class keeps the current one in an
   * `AsyncLocalStorage`.
   */
  isAmbient(type: ts.Type): boolean {
    return partsOf(this.#checker.getApparentType(type)).some((part) =>
      (part as { readonly symbol?: ts.Symbol }).symbol?.declarations?.some(
        (each) => 'members' in each && /\bAsyncLocalStorage\b/.test(each.getText()),
      ),
    );
  }

  isAny(type: ts.Type): boolean {
    return (type.flags & anyFlag) !== 0;
  }

  isNothing(type: ts.Type): boolean {
    return type === this.#checker.getUndefinedType() || type === this.#checker.getNullType();
  }

  /** Whether a value of this type may be missing. */
  isOptional(type: ts.Type): boolean {
    return partsOf(type).some((part) => this.isNothing(part));
  }

  /** Whether a call that returns this never comes back. */
  isNever(type: ts.Type): boolean {
    const never = this.#checker.getNeverType();
    return type === never || this.#checker.getAwaitedType(type) === never;
  }

  /** The ways to call a value of this type. */
  callsOf(type: ts.Type): readonly ts.Signature[] {
    return partsOf(type).flatMap((part) => part.getCallSignatures());
  }

  /** The names of the classes or interfaces of a type. */
  namesOf(type: ts.Type): readonly string[] {
    return partsOf(type).flatMap(namesOf);
  }
}
