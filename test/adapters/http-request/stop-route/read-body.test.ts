import { describe, expect, it } from 'vitest';

import { byteLimit, inTime } from '../../../../src/adapters/http-request/stop-route/read-body.ts';
import { CancellationTokenSource } from '../../../../src/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

describe('byteLimit', () => {
  it('puts characters together that parts have cut, up to its limit', () => {
    const limit = byteLimit(5);
    const [a, b, c, d] = new TextEncoder().encode('é👩').subarray(0, 6);
    limit.add(Uint8Array.of(a!));
    limit.add(Uint8Array.of(b!));
    expect(limit.text()).toBe('é');
    limit.add(Uint8Array.of(c!, d!));
    expect(limit.add(new Uint8Array(2))).toMatchObject({ status: 413, message: 'the body is longer than 5 bytes' });
  });
});

describe('inTime', () => {
  it('gives the value, the error, or a refusal when time is up or nobody wants it', async () => {
    const clock = new VirtualClock();
    const wanted = new CancellationTokenSource();
    const limits = { mostBytes: 5, timeoutMs: 10, clock, token: wanted.token };
    expect(await inTime(limits, () => Promise.resolve(7))).toBe(7);
    await expect(inTime(limits, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const late = expect(inTime(limits, () => new Promise(() => undefined))).rejects.toMatchObject({ status: 408 });
    await clock.advance(10);
    await late;
    const unwanted = expect(inTime(limits, () => new Promise(() => undefined))).rejects.toMatchObject({ status: 408 });
    wanted.cancel();
    await unwanted;
    expect(clock.pending).toBe(0);
  });
});
