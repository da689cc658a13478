import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { requireBuild } from '../package/consumer.ts';
import { chromiumPath, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { serveSite, type Site } from '../support/site.ts';

/**
 * Shares a source with a worker that waits, spins or never listens; answers with what became of it. A loop is
 * synchronous on either side, and gives up after two seconds.
 */
const page = `<!doctype html><title>worker</title><script type="module">
  import { CancellationTokenSource } from '/dist/index.js';
  import { shareToken, superviseWorker } from '/dist/worker.js';
  const spin = (token) => {
    const startedAt = performance.now();
    while (!token.isCancelled && performance.now() - startedAt < 2000);
    return token.isCancelled && { kind: token.reason.kind, by: token.reason.by };
  };
  const code = \`
    import { receiveToken } from '\${location.origin}/dist/worker.js';
    const spin = \${spin};
    onmessage = async ({ data: { how, handle } }) => {
      const shared = receiveToken(handle);
      postMessage('ready');
      if (how === 'deaf') for (;;);
      if (how === 'loops') return postMessage(spin(shared.token));
      if (how === 'cancels late') await new Promise((resolve) => setTimeout(resolve, 50));
      if (how.startsWith('cancels')) shared.cancel({ kind: 'budget', by: 'worker' });
      const { kind, by } = await shared.token.whenCancelled();
      postMessage({ kind, by });
    };
  \`;
  globalThis.run = async (how) => {
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
    const next = () => new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
    const source = new CancellationTokenSource();
    const shared = shareToken(source);
    const ready = next();
    worker.postMessage({ how, handle: shared.handle }, shared.transferList);
    await ready;
    const answer = how === 'deaf' ? superviseWorker(source.token, worker, { graceMs: 50 }) : next();
    const seen = how === 'cancels late' ? spin(shared.token) : undefined;
    if (how.startsWith('cancels')) await source.token.whenCancelled();
    else source.cancel({ kind: 'user', by: 'page' });
    const said = await answer;
    const here = source.token.reason;
    shared.release();
    worker.terminate();
    const hasMemory = shared.handle.memory !== undefined;
    return JSON.stringify({ said, seen, here: { kind: here.kind, by: here.by }, crossOriginIsolated, hasMemory });
  };
</script>`;

const user = { kind: 'user', by: 'page' };
const budget = { kind: 'budget', by: 'worker' };

describe.skipIf(chromiumPath === undefined)('S28 a worker in Chromium', () => {
  let browser: TestBrowser;
  const sites: Site[] = [];
  const tabs: Record<'isolated' | 'plain', Page | undefined> = { isolated: undefined, plain: undefined };

  beforeAll(async () => {
    requireBuild();
    const dist = fileURLToPath(new URL('../../dist', import.meta.url));
    browser = await launchBrowser();
    for (const kind of ['isolated', 'plain'] as const) {
      const site = await serveSite({
        pages: { '/': page },
        folders: { '/dist': dist },
        isolated: kind === 'isolated',
      });
      sites.push(site);
      const tab = await browser.open(site.url);
      await tab.waitForFunction('globalThis.run !== undefined');
      tabs[kind] = tab;
    }
  }, 60_000);

  afterAll(async () => {
    expect(browser.errors).toEqual([]);
    await browser.close();
    for (const site of sites) await site.close();
  });

  async function run(kind: 'isolated' | 'plain', how: string): Promise<unknown> {
    const result = JSON.parse((await tabs[kind]?.evaluate<string>(`run('${how}')`)) ?? '{}') as object;
    const shares = kind === 'isolated';
    expect(result).toMatchObject({ crossOriginIsolated: shares, hasMemory: shares });
    return result;
  }

  describe.each(['isolated', 'plain'] as const)('of a page that is %s', (kind) => {
    it('S28 hears of a cancel while it waits', async () => {
      expect(await run(kind, 'waits')).toMatchObject({ said: user, here: user });
    });

    it('S28 cancels the source of the page', async () => {
      expect(await run(kind, 'cancels')).toMatchObject({ said: budget, here: budget });
    });

    it('S28 that never listens is terminated after its grace', async () => {
      const said = { terminated: true, ended: true, stoppedBy: { kind: 'user' } };
      expect(await run(kind, 'deaf')).toMatchObject({ said });
    });
  });

  it('S28 sees the cancel of the page inside a synchronous loop, through shared memory alone', async () => {
    expect(await run('isolated', 'loops')).toMatchObject({ said: user, here: user });
    expect(await run('plain', 'loops')).toMatchObject({ said: false, here: user });
  });

  it('S28 is seen to cancel by the page inside a synchronous loop, through shared memory alone', async () => {
    expect(await run('isolated', 'cancels late')).toMatchObject({ seen: budget, said: budget, here: budget });
    expect(await run('plain', 'cancels late')).toMatchObject({ seen: false, said: budget, here: budget });
  });
});
