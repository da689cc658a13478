/**
 * An example that serves a page, as its own process, and what it is run over.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { hasRedis } from '../../support/engines/redis.ts';

/** A running example. */
export interface ExampleSite {
  /** The line that it prints. */
  readonly said: string;
  readonly url: string;
  close(): Promise<unknown>;
}

/** Starts `examples/<name>/main.ts`, and waits until it says where it is. */
export async function startExample(name: string, env: Readonly<Record<string, string>>): Promise<ExampleSite> {
  const main = fileURLToPath(new URL(`../../../examples/${name}/main.ts`, import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, OPENAI_API_KEY: undefined, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const said = String(chunk).trim();
  return {
    said,
    url: said.slice(said.indexOf('http://')),
    close: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Over memory, and over Redis where there is one: the name, the environment, how it says so. */
export const exampleEngines: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['memory', { NO_REDIS: '1' }, 'three instances in this process'],
  ...(hasRedis() ? [['Redis', {}, 'three processes'] as const] : []),
];
