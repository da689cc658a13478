import { describe, expect, it } from 'vitest';

import { isOfAnotherSite } from '../../../../src/adapters/http-request/stop-route/another-site.ts';

const asks = (headers: Readonly<Record<string, string>>, raw: unknown = { url: '/runs/7/cancel' }) =>
  isOfAnotherSite({ header: (name) => headers[name], address: undefined, raw });

describe('a page of another site', () => {
  it.each([
    ['a program, which says neither', {}, false],
    ['cross-site', { 'sec-fetch-site': 'cross-site' }, true],
    ['another subdomain', { 'sec-fetch-site': 'same-site', origin: 'https://www.my.app', host: 'api.my.app' }, false],
    ['a proxy that changed the host', { 'sec-fetch-site': 'same-origin', origin: 'https://my.app', host: 'up' }, false],
    ['a foreign origin', { origin: 'http://evil.example', host: 'my.app' }, true],
    ['an origin that is not told', { origin: 'null', host: 'my.app' }, true],
    ['an origin that is none', { origin: '', host: 'my.app' }, true],
    ['its own origin', { origin: 'http://my.app', host: 'my.app' }, false],
    ['its own origin in other letters', { origin: 'http://my.app', host: 'My.App:80' }, false],
    ['its own origin, encrypted as far as the proxy', { origin: 'https://my.app', host: 'my.app:443' }, false],
    ['another port', { origin: 'http://my.app:8080', host: 'my.app' }, true],
    ['a name that begins alike', { origin: 'http://my.app.evil.example', host: 'my.app' }, true],
    ['a host that is none', { origin: 'http://my.app', host: 'a b' }, true],
    ['what the proxy was asked for', { origin: 'http://my.app', host: 'up', 'x-forwarded-host': 'my.app, up' }, false],
    ['no host at all', { origin: 'http://my.app' }, true],
  ])('is told apart: %s', (_, headers, isForeign) => {
    expect(asks(headers)).toBe(isForeign);
  });

  it('is told apart by the address of a Request, and by the authority of HTTP/2', () => {
    const origin = { origin: 'http://my.app' };
    expect(asks(origin, { url: 'http://my.app/runs/7/cancel' })).toBe(false);
    expect(asks(origin, { url: 'http://other.app/runs/7/cancel' })).toBe(true);
    expect(asks(origin, { url: '/runs/7/cancel', authority: 'my.app' })).toBe(false);
    expect(asks(origin, undefined)).toBe(true);
  });
});
