import { createContext, runInContext } from 'node:vm';

import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { requireBuild, root } from './consumer.ts';

/** Doors to something that only Node has; every other one opens in a browser. */
const nodeOnly = ['desist/child-process', 'desist/testing', 'desist/testing/fast-check', 'desist/testing/program'];
const doors = readDoors(root);

beforeAll(() => {
  requireBuild();
});

/** Every value of a door as the global `door`, the way a site would bundle it. */
async function bundle(specifier: string, conditions: string[] = []): Promise<string> {
  const result = await build({
    stdin: { contents: `export * from '${specifier}'`, resolveDir: root },
    absWorkingDir: root,
    // The package as it is published, not the sources that the compiler is pointed to here.
    tsconfigRaw: '{}',
    bundle: true,
    conditions,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'door',
    logLevel: 'silent',
  });
  return result.outputFiles[0]?.text ?? '';
}

/** A realm with what every browser has, and nothing of Node. */
function browserRealm(): object {
  const { AbortController, AbortSignal, Event, EventTarget, MessageChannel, TextEncoder, TextDecoder } = globalThis;
  const { setTimeout, clearTimeout, queueMicrotask, performance, URL } = globalThis;
  const web = { AbortController, AbortSignal, Event, EventTarget, MessageChannel, TextEncoder, TextDecoder, URL };
  return createContext({ ...web, setTimeout, clearTimeout, queueMicrotask, performance });
}

describe('in a bundle for browsers', () => {
  it.each(doors.map(({ specifier }) => specifier).filter((specifier) => !nodeOnly.includes(specifier)))(
    '%s opens where nothing of Node is',
    async (specifier) => {
      const realm = browserRealm();
      runInContext(await bundle(specifier), realm);
      expect(runInContext('Object.keys(door).length', realm)).toBeGreaterThan(0);
    },
  );

  it.each(nodeOnly)('%s is still one that cannot', async (specifier) => {
    await expect(bundle(specifier)).rejects.toThrow('Could not resolve "node:');
  });

  it('a client of desist/mcp gives up a connection that has no process', async () => {
    const realm = browserRealm();
    runInContext(await bundle('desist/mcp'), realm);
    const stopped = runInContext(
      `(async () => {
        const stops = [], source = new AbortController();
        const client = { transport: {}, close: async () => {}, ping: () => new Promise(() => {}) };
        const server = door.restartableClient(() => client, { graceMs: 5, onServerStopped: (stop) => stops.push(stop) });
        const call = server.request(source.signal, () => { source.abort(); return new Promise(() => {}); });
        const { name } = await call.catch((error) => error);
        await server.settled();
        return JSON.stringify({ name, why: stops.map(({ why }) => why) });
      })()`,
      realm,
    ) as Promise<string>;
    expect(JSON.parse(await stopped)).toEqual({ name: 'AbortError', why: ['deaf'] });
  });

  it('desist/ambient says what it misses', async () => {
    const realm = browserRealm();
    runInContext(await bundle('desist/ambient'), realm);
    expect(() => runInContext('door.currentToken()', realm) as unknown).toThrow('needs AsyncLocalStorage');
  });

  it.each(['workerd', 'edge-light'])(
    'desist/ambient is the whole one for %s, which has the storage',
    async (runtime) => {
      await expect(bundle('desist/ambient', [runtime, 'browser'])).rejects.toThrow(
        'Could not resolve "node:async_hooks"',
      );
    },
  );

  it('runBlocking of desist/worker says what it misses', async () => {
    const realm = browserRealm();
    runInContext(await bundle('desist/worker'), realm);
    const message = runInContext(`door.runBlocking(null, 'file:///x.js').catch(String)`, realm) as Promise<string>;
    expect(await message).toContain('there is no node:');
  });
});
