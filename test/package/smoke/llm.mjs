/**
 * `desist/llm` with the real model SDKs, in both majors that are installed beside the sources, on whatever runtime this
 * is: a cut is a cut, the server sees it, nothing is left, nothing crashes.
 *
 * @module
 */
import { strict as assert } from 'node:assert';
import { getEventListeners } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { CancellationTokenSource } from 'desist';
import { cancellableCall, cancellableStream } from 'desist/llm';
import { startModelServer } from 'desist/testing';

// Written beside this file when the package is installed: the very calls that the interop tests make.
const { loadClients } = await import(new URL('./llm-clients.mjs', import.meta.url).href);

const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
const packages = ['openai', '@anthropic-ai/sdk', '@google/genai', 'ollama'];

/** An installation of the SDKs; the consumer's folder lies inside the repository that has them. */
function majorIn(name, folder) {
  const require = createRequire(new URL(folder, import.meta.url));
  const manifest = (specifier) => {
    for (const path of require.resolve.paths(specifier)) {
      try {
        return require(`${path}/${specifier}/package.json`);
      } catch {
        // Not installed at this level: the next one up.
      }
    }
    throw new Error(`${specifier} is not installed`);
  };
  return {
    name,
    manifest,
    load: (specifier) => import(pathToFileURL(require.resolve(specifier)).href),
  };
}

/** What this Node is too old for, in words; other runtimes are asked to try everything. */
function unwanted({ manifest }) {
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) return [];
  const [own] = process.versions.node.split('.');
  return packages.flatMap((name) => {
    const { version, engines } = manifest(name);
    const [, least] = />=\s*(\d+)/.exec(engines?.node ?? '') ?? [];
    return least !== undefined && Number(own) < Number(least)
      ? [{ name, why: `${name} ${version} wants ${engines.node}` }]
      : [];
  });
}

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('was not rejected');
}

async function drain(stream, onEvent = () => undefined) {
  for await (const _event of stream) onEvent();
}

async function withServer(script, use) {
  const server = await startModelServer({ script });
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

/** Runs something and returns the rejections that nobody heard. */
async function unheardDuring(work) {
  const unheard = [];
  const hear = (error) => unheard.push(error);
  process.on('unhandledRejection', hear);
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    process.off('unhandledRejection', hear);
  }
  return unheard;
}

/** The checks of one client. */
function checksOf(client, title) {
  return {
    async [`${title}: a cut stream is cancelled, its partial text is kept, its socket closed`]() {
      await withServer([{ text: words, chunkMs: 10 }], async (server) => {
        const person = new CancellationTokenSource();
        const stream = cancellableStream(person.token, (stop) => client.stream(server, stop), { fold: client.fold });
        const stop = () => {
          if (stream.partial.text.startsWith('word0 word1')) person.cancel('user');
        };
        assert.equal(await failure(drain(stream, stop)), person.signal.reason);
        assert.match(stream.partial.text, /^word0 word1/);
        assert.equal(stream.partial.usage.isExact, false);
        await server.waitFor(({ requests }) => requests[0]?.closedEarly);
      });
    },
    async [`${title}: a call ends at once, and its socket closes`]() {
      await withServer([{ silent: true }], async (server) => {
        const person = new CancellationTokenSource();
        const asking = failure(cancellableCall(person.token, (stop) => client.call(server, stop)));
        await server.waitFor(({ requests }) => requests[0]);
        person.cancel('user');
        assert.equal(await asking, person.signal.reason);
        await server.waitFor(({ requests }) => requests[0]?.closedEarly);
      });
    },
    async [`${title}: calls leave nothing on the session, and a cut helper crashes nothing`]() {
      await withServer(
        () => 'short answer',
        async (server) => {
          const session = new AbortController();
          for (let call = 0; call < 20; call += 1) {
            await cancellableCall(session.signal, (stop) => client.call(server, stop));
            await drain(cancellableStream(session.signal, (stop) => client.stream(server, stop)));
          }
          assert.equal(getEventListeners(session.signal, 'abort').length, 0);
          const unheard = await unheardDuring(async () => {
            for (let call = 0; call < 20; call += 1) {
              const person = new CancellationTokenSource();
              setTimeout(() => person.cancel('user'), call % 4);
              await drain(cancellableStream(person.token, (stop) => client.stream(server, stop))).catch(
                () => undefined,
              );
            }
          });
          assert.deepEqual(unheard, []);
        },
      );
    },
  };
}

/** All of them, by title. What cannot run here is said, on a line that begins with `skip`. */
export async function llmChecks() {
  const all = {};
  for (const major of [
    majorIn('newest', '../../../package.json'),
    majorIn('previous', '../../../test/interop/previous/load.ts'),
  ]) {
    const missing = unwanted(major);
    for (const { why } of missing) console.log(`skip ${why}`);
    for (const client of await loadClients(
      major,
      missing.map(({ name }) => name),
    )) {
      Object.assign(all, checksOf(client, `${major.name} ${client.name}`));
    }
  }
  return all;
}
