/**
 * Node's own modules, asked for when they are needed instead of imported. An import of a builtin, even a lazy one,
 * would keep every bundler from building them for a browser. Prior art: `process.getBuiltinModule`, made for this.
 *
 * @module
 */
import type * as asyncHooks from 'node:async_hooks';
import type * as childProcess from 'node:child_process';
import type * as crypto from 'node:crypto';
import type * as diagnosticsChannel from 'node:diagnostics_channel';
import type * as fs from 'node:fs';
import type * as os from 'node:os';
import type * as path from 'node:path';
import type * as perfHooks from 'node:perf_hooks';
import type * as stream from 'node:stream';
import type * as stringDecoder from 'node:string_decoder';
import type * as tty from 'node:tty';
import type * as workerThreads from 'node:worker_threads';

/** Those that are asked for. */
interface NodeModules {
  readonly 'node:async_hooks': typeof asyncHooks;
  readonly 'node:child_process': typeof childProcess;
  readonly 'node:crypto': typeof crypto;
  readonly 'node:diagnostics_channel': typeof diagnosticsChannel;
  readonly 'node:fs': typeof fs;
  readonly 'node:os': typeof os;
  readonly 'node:path': typeof path;
  readonly 'node:perf_hooks': typeof perfHooks;
  readonly 'node:stream': Pick<typeof stream, 'Writable'>;
  readonly 'node:string_decoder': typeof stringDecoder;
  readonly 'node:tty': Pick<typeof tty, 'isatty'>;
  readonly 'node:worker_threads': typeof workerThreads;
}

/**
 * One of Node's modules.
 *
 * @throws Error – this is not Node, nor anything that stands in for it.
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] {
  const host = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process;
  const found = host?.getBuiltinModule?.(name);
  if (found === undefined) throw new Error(`this needs Node: there is no ${name} here`);
  return found;
}
