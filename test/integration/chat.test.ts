/**
 * The chat example as a person uses it: an answer that survives a reload, and a Stop that works, whichever server it lands on.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { requireBuild } from '../package/consumer.ts';
import { chromiumPath, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { exampleEngines, startExample, type ExampleSite } from './support/example-site.ts';

describe.skipIf(chromiumPath === undefined).each(exampleEngines)('a chat over %s', (_, env) => {
  let site: ExampleSite;
  let browser: TestBrowser;
  let tab: Page;

  const state = (text: RegExp) => tab.getByRole('status').filter({ hasText: text }).waitFor();
  const words = async () => (await tab.getByRole('listitem').last().textContent())?.split(/\s+/).length ?? 0;
  const grows = async () => {
    const before = await words();
    await tab.waitForFunction(
      (n) => (document.querySelector('li:last-child')?.textContent.split(/\s+/).length ?? 0) > n,
      before,
    );
  };
  const ask = async (text: string) => {
    await tab.getByRole('textbox', { name: 'Message' }).fill(text);
    await tab.keyboard.press('Enter');
    await state(/^streaming/);
  };

  beforeAll(async () => {
    requireBuild();
    [site, browser] = await Promise.all([startExample('chat', env), launchBrowser()]);
    tab = await browser.open(site.url);
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await site.close();
  }, 30_000);

  it('S49 a chat goes on over a reload, is stopped from another instance, and takes the next message', async () => {
    await ask('Count.');
    await grows();
    await tab.reload();
    await state(/^streaming/);
    await grows();
    await tab.getByRole('button', { name: 'Stop' }).focus();
    await tab.keyboard.press('Enter');
    await state(/^ready, (?:settled|observed)$/);
    const said = await words();
    expect(said).toBeLessThan(400);
    await tab.reload();
    await state(/^ready$/);
    // What was said before the stop is kept, and nothing came after it.
    expect(await tab.getByRole('listitem').count()).toBe(2);
    expect(Math.abs((await words()) - said)).toBeLessThan(3);
    await ask('And again.');
    await grows();
    expect(await tab.getByRole('listitem').count()).toBe(4);
    await tab.getByRole('button', { name: 'Stop' }).click();
    await state(/^ready, settled$/);
    expect(browser.errors).toEqual([]);
  });

  it('S49 a chat is shown to nobody else, nor stopped by them', async () => {
    const path = new URL(tab.url()).pathname.replace('/chat/', '/api/chat/');
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/stream'],
      ['POST', ''],
      ['POST', '/stop'],
    ] as const) {
      const answer = await fetch(`${site.url}${path}${rest}`, { method, headers: { cookie: 'user=eve' } });
      expect([method, rest, answer.status]).toEqual([method, rest, 404]);
    }
  });
});
