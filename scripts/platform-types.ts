/**
 * What every published declaration file begins with: the names of the web platform that our declarations use, as this host
 * has them or, where nothing declares them, in the shape that we rely on. Without it a program that has neither `DOM` in its
 * `lib` nor `@types/node` could not resolve them, and a compiler that skips library checks would read each as `any`.
 *
 * Prior art: the conditional globals of `@types/node`.
 *
 * @module
 */

const lines = (text: string): string => text.trim().replaceAll(/\s*\n\s*/gu, ' ');

/** A name whose constructor stands on the global object, and its shape where none does. */
const instance = (name: string, shape: string): string =>
  `type ${name} = typeof globalThis extends { ${name}: { prototype: infer T } } ? T : ${lines(shape)};`;

export const platformTypes: string = [
  '/// <reference lib="esnext.disposable" />',
  instance(
    'AbortSignal',
    `{
      readonly aborted: boolean;
      readonly reason: any;
      throwIfAborted(): void;
      addEventListener(type: 'abort', listener: (event: any) => void, options?: { once?: boolean }): void;
      removeEventListener(type: 'abort', listener: (event: any) => void): void;
    }`,
  ),
  // Beside the port of `node:worker_threads`, whose door needs the types of Node anyhow.
  instance('MessagePort', 'object'),
  instance(
    'URL',
    '{ readonly href: string; readonly origin: string; readonly searchParams: object; toString(): string; }',
  ),
  instance(
    'Response',
    `{
      readonly ok: boolean;
      readonly status: number;
      readonly statusText: string;
      readonly url: string;
      readonly bodyUsed: boolean;
      arrayBuffer(): Promise<ArrayBuffer>;
      json(): Promise<unknown>;
      text(): Promise<string>;
    }`,
  ),
  // A request's parts have no constructor: they are what `fetch` takes.
  `declare const fetch: typeof globalThis extends { fetch: infer F extends (...args: any) => any } ? F : ${lines(`
    (
      input: string | URL | { readonly url: string; readonly method: string },
      init?: { method?: string; headers?: Record<string, string>; body?: unknown; signal?: AbortSignal | null },
    ) => Promise<Response>`)};`,
  'type RequestInfo = Parameters<typeof fetch>[0];',
  'type RequestInit = NonNullable<Parameters<typeof fetch>[1]>;',
].join('\n');
