/** The site of `npm run docs` in a real browser: found by navigation and search, without a mouse, read in both schemes, no link dead. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { chromiumPath, evaluated, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { serveSite, type Site } from '../support/site.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, '.artifacts/site');

/** Contrast of the first element to what is behind it, by the formula of the W3C; 4.5 is wanted of text. */
const contrastOf = (selector: string): string => `(() => {
  const read = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((value) => value / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const element = document.querySelector(${JSON.stringify(selector)});
  let behind = element;
  while (read(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const [one, other] = [light(read(getComputedStyle(element).color)), light(read(getComputedStyle(behind).backgroundColor))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
})()`;

/** Links of the pages of the site that lead to no file of it, or to no place in one. */
function deadLinks(): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'));
  const text = new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const ids = new Map([...text].map(([path, html]) => [path, new Set(html.match(/(?<= id=")[^"]+/g))]));
  return [...text].flatMap(([path, html]) =>
    [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].flatMap(([, link = '']) => {
      if (/^(?:https?:|data:|#$)/.test(link)) return [];
      const [file = '', id] = link.replaceAll('&amp;', '&').split('#');
      const target = file === '' ? path : join(path, '..', decodeURIComponent(file));
      const isThere = existsSync(join(folder, target));
      const hasPlace = id === undefined || !target.endsWith('.html') || ids.get(target)?.has(decodeURIComponent(id));
      return isThere && hasPlace === true ? [] : [`${path}: ${link}`];
    }),
  );
}

describe.skipIf(chromiumPath === undefined)('the site in Chromium', () => {
  let site: Site;
  let browser: TestBrowser;
  let tab: Page;

  beforeAll(async () => {
    // The gate of the reference has made it, where all gates run.
    if (!existsSync(join(folder, 'index.html')))
      await promisify(execFile)(join(root, 'node_modules/.bin/typedoc'), [], { cwd: root });
    site = await serveSite({ folders: { '/site': folder } });
    browser = await launchBrowser();
    tab = await browser.open(`${site.url}/site/index.html`);
  }, 300_000);

  afterAll(async () => {
    expect(browser.errors).toEqual([]);
    await browser.close();
    await site.close();
  });

  it('no link of the site is dead', () => {
    expect(deadLinks()).toEqual([]);
  });

  it('a page is found by the navigation', async () => {
    await tab.locator('.tsd-navigation summary', { hasText: 'Start' }).click();
    await tab.getByRole('link', { name: 'Your own loop in six edits' }).first().click();
    await tab.getByRole('heading', { level: 1, name: 'Your own loop in six edits' }).waitFor();
  });

  it('a function is found by the search, with the keyboard alone', async () => {
    await tab.keyboard.press('/');
    await tab.keyboard.type('cancellableExec');
    await tab.getByRole('option').first().waitFor();
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('Enter');
    await tab
      .getByRole('heading', { name: /cancellableExec/ })
      .first()
      .waitFor();
    await tab.keyboard.press('Tab');
    expect(await evaluated(tab, `document.activeElement !== document.body`)).toBe(true);
  });

  it.each(['light', 'dark'] as const)('words, links and code can be read on %s paper', async (colorScheme) => {
    await tab.goto(`${site.url}/site/index.html`);
    await tab.emulateMedia({ colorScheme });
    await tab.locator('.tsd-navigation a').first().waitFor();
    for (const selector of ['.col-content p', '.col-content p a', '.col-content pre code', '.tsd-navigation a'])
      expect(await evaluated(tab, contrastOf(selector)), selector).toBeGreaterThan(4.5);
  });
});
