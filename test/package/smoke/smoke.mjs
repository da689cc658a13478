/**
 * Uses the installed package on whatever runtime this is: every door in both formats, a cancel, tokens that cross
 * formats, a fetch; the real model SDKs; and what the web platform's tests say of signals. Plain JavaScript, for runtimes that strip no
 * types. Prints one line per check; ends by itself.
 *
 * @module
 */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

import { blockingChecks } from './blocking.mjs';
import { llmChecks } from './llm.mjs';

const require = createRequire(import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('../node_modules/desist/package.json', import.meta.url), 'utf8'));
const doors = Object.keys(manifest.exports)
  .filter((key) => key !== './package.json')
  .map((key) => (key === '.' ? 'desist' : `desist${key.slice(1)}`));

/** What a promise rejects with; a promise that does not is a failure. */
async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('was not rejected');
}

const esm = await import('desist');
const cjs = require('desist');
// Written beside this file when the package is installed: the very cases that the unit tests run.
const { platformCases } = await import(new URL('./platform-cases.mjs', import.meta.url).href);

const checks = {
  async 'every door opens in both formats, with the same names'() {
    for (const door of doors) {
      const names = Object.keys(await import(door)).sort();
      assert.ok(names.length > 0, `${door} is empty`);
      assert.deepEqual(Object.keys(require(door)).sort(), names, door);
    }
  },
  async 'a cancel reaches a child, a callback and a waiter'() {
    for (const { CancellationTokenSource, delay } of [esm, cjs]) {
      const source = new CancellationTokenSource();
      const child = source.token.child();
      const seen = [];
      child.token.onCancelled((reason) => seen.push(reason));
      const waiting = rejection(delay(child.token, 60_000));
      assert.equal(source.cancel('user'), true);
      assert.deepEqual(seen, [source.reason]);
      const error = await waiting;
      assert.equal(error.name, 'AbortError');
      assert.equal(error.reason, source.reason);
    }
  },
  async 'a native signal follows its token, and a token its native signal'() {
    const source = new esm.CancellationTokenSource();
    const controller = new AbortController();
    const below = esm.CancellationToken.from(controller.signal);
    assert.equal(source.token.signal.aborted, false);
    source.cancel();
    controller.abort();
    assert.equal(source.token.signal.aborted, true);
    assert.equal(below.isCancelled, true);
  },
  async 'a token of one format works in the other'() {
    for (const [ours, theirs] of [
      [esm, cjs],
      [cjs, esm],
    ]) {
      const source = new ours.CancellationTokenSource();
      const below = new theirs.CancellationTokenSource({ parent: source.token });
      const waiting = rejection(theirs.delay(source.token, 60_000));
      const work = rejection(theirs.withCancellation(source.token, () => new Promise(() => {}), { settle: 'abandon' }));
      source.cancel({ kind: 'shutdown', by: 'smoke' });
      assert.equal(below.isCancelled, true);
      for (const error of [await waiting, await work]) {
        assert.equal(error.reason.kind, 'shutdown');
        assert.equal(error.reason.by, 'smoke');
        assert.equal(ours.isCancellation(error), true);
        assert.equal(theirs.isCancellation(error), true);
      }
    }
  },
  async 'a fetch dies with its token, and the server sees it'() {
    const source = new esm.CancellationTokenSource();
    const gone = Promise.withResolvers?.() ?? {};
    gone.promise ??= new Promise((resolve) => (gone.resolve = resolve));
    const server = createServer((request, response) => {
      response.on('close', () => gone.resolve('closed'));
      source.cancel('user');
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const error = await rejection(fetch(`http://127.0.0.1:${server.address().port}/`, { signal: source.token.signal }));
    assert.equal(error.name, 'AbortError');
    assert.equal(esm.classify(error, source.token).status, 'cancelled');
    assert.equal(await gone.promise, 'closed');
    await new Promise((resolve) => server.close(resolve));
  },
  ...blockingChecks,
  ...(await llmChecks()),
  ...Object.fromEntries(platformCases.map(({ name, run }) => [`platform: ${name}`, () => run(esm)])),
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok ${name}: ${error?.stack ?? error}`);
  }
}
console.log(`${Object.keys(checks).length - failed} of ${Object.keys(checks).length} checks`);
process.exitCode = failed === 0 ? 0 : 1;
