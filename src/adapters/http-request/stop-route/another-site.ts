/**
 * Whether it is a page of another site that asks, as far as its browser says so.
 *
 * Prior art: `http.CrossOriginProtection` of Go.
 *
 * @module
 */
import type { StopCall } from './exchange.ts';

/** By `Sec-Fetch-Site`, which browsers send to https and to localhost; elsewhere by `Origin`, which a program does not send. */
export function isOfAnotherSite({ header, raw }: StopCall): boolean {
  const site = header('sec-fetch-site');
  if (site !== undefined) return site === 'cross-site';
  const origin = header('origin');
  if (origin === undefined) return false;
  const page = urlOf(origin);
  if (page === undefined) return true; // `null`: a page that does not say where it is from
  const { authority, url } = (raw ?? {}) as { readonly authority?: unknown; readonly url?: unknown };
  // What a proxy was asked for, too: no page can say that of itself without having been asked for it before.
  const forwarded = header('x-forwarded-host')?.split(',')[0]?.trim();
  const hosts = [header('host'), forwarded, authority, urlOf(url)?.host];
  return !hosts.some((host) => typeof host === 'string' && urlOf(`${page.protocol}//${host}`)?.host === page.host);
}

function urlOf(text: unknown): URL | undefined {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
}
