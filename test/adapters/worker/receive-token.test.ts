import { describe, expect, it } from 'vitest';

import { CancelFlag } from '../../../src/adapters/worker/cancel-flag.ts';
import { receiveToken } from '../../../src/adapters/worker/receive-token.ts';
import type { TokenHandle } from '../../../src/adapters/worker/share-token.ts';

describe('receiveToken', () => {
  it('without common memory hears of a cancel by message', async () => {
    const { port1, port2 } = new MessageChannel();
    const received = receiveToken({ desist: 1, port: port2 as unknown as TokenHandle['port'] });
    expect(received.token.isCancelled).toBe(false);
    port1.postMessage({ 'desist.token': { kind: 'user', message: 'enough', at: 5 } });
    expect((await received.token.whenCancelled()).message).toBe('enough');
    received[Symbol.dispose]();
    port1.close();
  });

  it('with it needs no message', () => {
    const { port1, port2 } = new MessageChannel();
    const flag = new CancelFlag();
    const received = receiveToken({ desist: 1, memory: flag.memory, port: port2 as unknown as TokenHandle['port'] });
    flag.claim('owner', { kind: 'user', message: 'enough', at: 5 });
    expect(received.token.isCancelled).toBe(true);
    received.release();
    port1.close();
  });

  it('refuses a handle whose port did not come along', () => {
    expect(() => receiveToken({ desist: 1, port: {} } as never)).toThrow(
      new TypeError("the handle's port must have been transferred with it, got an instance of Object"),
    );
  });
});
