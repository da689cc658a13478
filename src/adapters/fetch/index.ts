/**
 * The door `desist/fetch`: `fetch` under a token, from the upload to the last byte of the body.
 * Among the adapters because it wraps the host's `fetch`.
 * Prior art: WHATWG Fetch.
 *
 * @module desist/fetch
 */
export { cancellableFetch, type CancellableFetchInit } from './cancellable-fetch.ts';
