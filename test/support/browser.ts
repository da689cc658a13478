/**
 * A headless Chromium for tests, with a profile of its own that is removed with it.
 * Only integration tests may use it; one that finds no Chromium skips, and the summary of all gates says so.
 *
 * Playwright is loaded here and not when the first browser starts, so that nothing it opens is taken for a leak of the
 * test file: load this module by `import`, before the leak check begins.
 *
 * @module
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

function findBrowser(): string | undefined {
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/** Where Chromium is; `undefined` if there is none. Made for `describe.skipIf(chromiumPath === undefined)`. */
export const chromiumPath: string | undefined = findBrowser();

/** A running browser. */
export interface TestBrowser {
  /** Opens a page; what its scripts throw is kept in {@link TestBrowser.errors}. */
  open(url: string): Promise<Page>;
  /** Uncaught errors and unhandled rejections of every page so far, in words. */
  readonly errors: readonly string[];
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

/** No request may leave the machine, and a root without a user namespace has no sandbox. */
const switches = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium. */
export async function launchBrowser(): Promise<TestBrowser> {
  if (chromiumPath === undefined) throw new Error(`no browser: none of ${names.join(', ')} is installed`);
  const profile = mkdtempSync(join(tmpdir(), 'desist-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath,
    headless: true,
    args: switches,
    // The test process keeps its own signals.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const errors: string[] = [];
  return {
    errors,
    async open(url) {
      const page = await context.newPage();
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(url);
      return page;
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * What code gives in a page. What it throws comes as words without frames: those of a page name no file, and a reporter that
 * opens them all the same ends the whole run.
 */
export async function evaluated(page: Page, code: string): Promise<unknown> {
  try {
    return await page.evaluate(code);
  } catch (error) {
    throw new Error(String(error).replace(/^\s*at /gm, '  in '));
  }
}

const artifacts = fileURLToPath(new URL('../../.artifacts/', import.meta.url));

/** A path for something that a test leaves to be looked at; its folder is ignored by git. */
export function artifactPath(name: string): string {
  mkdirSync(artifacts, { recursive: true });
  return join(artifacts, name);
}
