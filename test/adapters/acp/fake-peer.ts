/**
 * The other end of a connection, as both sides of the SDK show it: what is sent is written down.
 *
 * @module
 */
import { deferred } from '../../../src/testing/fakes.ts';

export class FakePeer {
  readonly sent: [method: string, params: unknown][] = [];
  readonly answer = deferred<unknown>();
  cancellation: AbortSignal | undefined;

  /** The methods that were called, in order. */
  get methods(): string[] {
    return this.sent.map(([method]) => method);
  }

  readonly request = (
    method: string,
    params?: unknown,
    options?: { readonly cancellationSignal?: AbortSignal },
  ): Promise<unknown> => {
    this.sent.push([method, params]);
    this.cancellation = options?.cancellationSignal;
    return this.answer.promise;
  };

  readonly notify = (method: string, params?: unknown): Promise<void> => {
    this.sent.push([method, params]);
    return Promise.resolve();
  };
}
