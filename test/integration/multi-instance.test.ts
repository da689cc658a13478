/**
 * The example with three instances, as a person uses it: the keyboard, the names a screen reader reads, a Stop that lands on
 * another server than its run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { requireBuild } from '../package/consumer.ts';
import { chromiumPath, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { exampleEngines, startExample, type ExampleSite } from './support/example-site.ts';

describe.skipIf(chromiumPath === undefined).each(exampleEngines)('three instances over %s', (_, env, kind) => {
  let site: ExampleSite;
  let browser: TestBrowser;
  let tab: Page;

  const text = (part: RegExp) => tab.getByRole('listitem').filter({ hasText: part });

  beforeAll(async () => {
    requireBuild();
    [site, browser] = await Promise.all([
      startExample('multi-instance', { STEP_MS: '60000', ...env }),
      launchBrowser(),
    ]);
    tab = await browser.open(site.url);
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await site.close();
  }, 30_000);

  it('three instances show their runs, and Stop reaches each of them through any server, and no other', async () => {
    expect(site.said).toContain(kind);
    await tab.getByRole('heading', { name: 'Runs' }).waitFor();
    const button = tab.getByRole('button', { name: 'Start a run' });
    await button.focus();
    for (let n = 1; n <= 3; n++) {
      await tab.keyboard.press('Enter');
      await text(/running, reading orders.log/)
        .nth(n - 1)
        .waitFor();
    }
    const hosts = (await text(/running/).allTextContents()).map((line) => / on (\w+):/.exec(line)?.[1]);
    expect(new Set(hosts).size).toBeGreaterThan(1);
    // Three in turn through the balancer: two of them at least land where the run is not.
    for (let n = 1; n <= 2; n++) {
      await tab
        .getByRole('button', { name: /^Stop run/ })
        .first()
        .focus();
      await tab.keyboard.press('Enter');
      await text(/closed, stopped while read/)
        .nth(n - 1)
        .waitFor();
    }
    expect(await text(/running/).count()).toBe(1);
    expect(await tab.getByRole('status').textContent()).toMatch(
      /^Run \w+(?:: settled| has ended: stopped while read)$/,
    );
    expect(browser.errors).toEqual([]);
  });

  it('three instances show the same after a reload, and nothing of it to somebody else', async () => {
    await tab.reload();
    await text(/running/).waitFor();
    expect(await tab.getByRole('listitem').count()).toBe(3);
    const id = (await text(/running/).textContent())?.slice(0, 8) ?? '';
    for (const path of [`/runs/${id}/status`, `/runs/${id}/cancel`]) {
      const method = path.endsWith('cancel') ? 'POST' : 'GET';
      const answer = await fetch(`${site.url}${path}`, { method, headers: { cookie: 'user=eve' } });
      expect([answer.status, await answer.text()]).toEqual([404, '{"error":"no such run"}']);
    }
    const mine = await fetch(`${site.url}/runs`, { headers: { cookie: 'user=eve' } });
    expect(await mine.json()).toEqual([]);
    expect(await text(/running/).count()).toBe(1);
  });

  it('S32 three instances stop 100 of 100 runs, each asked through whichever is next, and take a second Stop quietly', async () => {
    const stopOne = async (n: number): Promise<unknown[]> => {
      const headers = { cookie: `user=u${String(n % 5)}` };
      const post = async (path: string, body?: string) => {
        const answer = await fetch(`${site.url}${path}`, { method: 'POST', headers, body: body ?? null });
        return [answer.status, await answer.json()] as [number, { id: string; status?: string; timedOut?: boolean }];
      };
      const [, { id }] = await post('/runs');
      const [code, { status, timedOut }] = await post(`/runs/${id}/cancel`, '{"wait":"settled"}');
      const [again] = await post(`/runs/${id}/cancel`);
      return [code, status, timedOut, again === 200 || again === 202];
    };
    const all = await Promise.all(Array.from({ length: 100 }, (_, n) => stopOne(n)));
    expect(all.filter((one) => JSON.stringify(one) !== '[200,"settled",false,true]')).toEqual([]);
  });
});
