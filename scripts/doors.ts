/**
 * The doors of the package, read from the one list there is: `exports` of package.json.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One entry point of the package. */
export interface Door {
  /** What users import: `desist/fetch`. */
  readonly specifier: string;
  /** The key of `exports`: `./fetch`. */
  readonly key: string;
  /** The name of its files in `dist`: `fetch`, `transcript/anthropic`. */
  readonly id: string;
  /** Its source file, from the root: `src/adapters/fetch.ts`. */
  readonly source: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** What an agent in a terminal opens: its loop, its conversation, a provider, commands, servers of tools, keys, and its end. */
export const ofCodingAgent: readonly string[] = [
  'index',
  'transcript',
  'transcript/anthropic',
  'llm',
  'child-process',
  'mcp',
  'terminal',
  'process-signals',
];

/** Where the source of a door may live: a room of its own, one dialect, or one adapter, as a file or as a folder. */
function candidates(id: string): string[] {
  if (id === 'index') return ['src/index.ts'];
  const [room, dialect] = id.split('/');
  if (room === 'transcript' && dialect !== undefined) return [`src/transcript/dialects/${dialect}/index.ts`];
  return [`src/${id}/index.ts`, `src/adapters/${id}.ts`, `src/adapters/${id}/index.ts`];
}

/**
 * Lists the doors in the order of `exports`.
 *
 * @param root The folder of package.json.
 * @throws Error – a door without a source file, or with two.
 */
export function readDoors(root: string): Door[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  return Object.keys(manifest.exports)
    .filter((key) => key !== './package.json')
    .map((key) => {
      const id = key === '.' ? 'index' : key.slice(2);
      const found = candidates(id).filter((file) => existsSync(join(root, file)));
      const [source, second] = found;
      if (source === undefined)
        throw new Error(`exports["${key}"] has no source: none of ${candidates(id).join(', ')}`);
      if (second !== undefined) throw new Error(`exports["${key}"] has two sources: ${found.join(' and ')}`);
      return { specifier: key === '.' ? manifest.name : `${manifest.name}/${id}`, key, id, source };
    });
}
