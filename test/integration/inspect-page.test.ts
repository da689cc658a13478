/** The page of a timeline in a real browser: what is drawn where, in both schemes, by keyboard, and what a hostile name does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { timelineHtml } from '../../src/inspect/index.ts';
import { hostile, row, stopped } from '../inspect/kit.ts';
import { chromiumPath, evaluated, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { serveSite, type Site } from '../support/site.ts';

describe.skipIf(chromiumPath === undefined)('the page of a timeline in Chromium', () => {
  let site: Site;
  let browser: TestBrowser;
  let tab: Page;

  beforeAll(async () => {
    const operations = [...stopped.operations, row({ id: 'x', name: hostile })];
    site = await serveSite({ pages: { '/': timelineHtml({ ...stopped, operations }) } });
    browser = await launchBrowser();
    tab = await browser.open(site.url);
  }, 60_000);

  afterAll(async () => {
    expect(browser.errors).toEqual([]);
    await browser.close();
    await site.close();
  });

  it('every operation is a row with a header, and the survivor says so in words', async () => {
    expect(await tab.getByRole('rowheader').allTextContents()).toEqual([
      'turn 1',
      'tool search',
      'tool deploy',
      expect.stringContaining('</td><script>x()</script>'),
    ]);
    expect(await tab.getByRole('row').filter({ hasText: 'deploy' }).textContent()).toContain('still running');
  });

  it('the line of the stop stands at half of every lane, and a bar is as long as its work', async () => {
    const lane = await tab.locator('.track').first().boundingBox();
    const line = await tab.locator('.track .stop').first().boundingBox();
    const bar = await tab.locator('.track .bar').first().boundingBox();
    const width = lane?.width ?? 0;
    expect(((line?.x ?? 0) - (lane?.x ?? 0)) / width).toBeCloseTo(0.5, 2);
    expect((bar?.width ?? 0) / width).toBeCloseTo(0.8, 2);
  });

  it.each(['light', 'dark'] as const)('the survivor is red on %s paper', async (colorScheme) => {
    await tab.emulateMedia({ colorScheme });
    const colour = await evaluated(tab, `getComputedStyle(document.querySelector('.survivor .bar')).backgroundColor`);
    expect(colour).toBe(colorScheme === 'light' ? 'rgb(207, 34, 46)' : 'rgb(255, 123, 114)');
  });

  it('the keyboard reaches each row in order', async () => {
    const seen: unknown[] = [];
    for (let press = 0; press < 3; press += 1) {
      await tab.keyboard.press('Tab');
      seen.push(await evaluated(tab, `document.activeElement.querySelector('th')?.textContent`));
    }
    expect(seen).toEqual(['turn 1', 'tool search', 'tool deploy']);
  });

  it('a hostile name makes no element', async () => {
    expect(await tab.locator('script').count()).toBe(0);
    expect(await tab.locator('[onfocus]').count()).toBe(0);
  });
});
