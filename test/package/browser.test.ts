import { createContext, runInContext } from 'node:vm';

import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { requireBuild, root } from './consumer.ts';

/** Doors to something that only Node has; every other one opens in a browser. */
const nodeOnly = ['desist/ambient', 'desist/child-process', 'desist/testing'];
const doors = readDoors(root);

beforeAll(() => {
  requireBuild();
});

/** Every value of a door as the global `door`, the way a site would bundle it. */
async function bundle(id: string): Promise<string> {
  const result = await build({
    stdin: { contents: `export * from './dist/${id}.js'`, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
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
  it.each(doors.filter(({ specifier }) => !nodeOnly.includes(specifier)).map(({ specifier, id }) => [specifier, id]))(
    '%s opens where nothing of Node is',
    async (_specifier, id) => {
      const realm = browserRealm();
      runInContext(await bundle(id), realm);
      expect(runInContext('Object.keys(door).length', realm)).toBeGreaterThan(0);
    },
  );

  it.each(nodeOnly)('%s is still one that cannot', async (specifier) => {
    const id = doors.find((door) => door.specifier === specifier)?.id ?? '';
    await expect(bundle(id)).rejects.toThrow('Could not resolve "node:');
  });

  it('a client of desist/mcp gives up a connection that has no process', async () => {
    const realm = browserRealm();
    runInContext(await bundle('mcp'), realm);
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

  it('runBlocking of desist/worker says what it misses', async () => {
    const realm = browserRealm();
    runInContext(await bundle('worker'), realm);
    const message = runInContext(`door.runBlocking(null, 'file:///x.js').catch(String)`, realm) as Promise<string>;
    expect(await message).toContain('there is no node:');
  });
});
