import { describe, expect, it, vi } from 'vitest';

import { Health } from '../../../../src/remote/node/engine/health.ts';

describe('the health of an engine', () => {
  it('the health of an engine is told when it changes, to whoever still listens', () => {
    const health = new Health();
    const heard: string[] = [];
    const registration = health.onEvent(({ type }) => heard.push(type));
    health.failed(new Error('a'));
    health.failed(new Error('b'));
    expect([health.isDegraded, health.recovered(), health.recovered()]).toEqual([true, true, false]);
    registration.release();
    health.failed(new Error('c'));
    expect(heard).toEqual(['degraded', 'recovered']);
  });

  it('the health of an engine is told at once to who begins to listen while it is away', () => {
    const health = new Health();
    const heard: unknown[] = [];
    const error = new Error('away when the bus was opened');
    health.failed(error);
    health.onEvent((event) => heard.push(event)).release();
    expect(heard).toEqual([{ type: 'degraded', error }]);
    health.recovered();
    health.onEvent((event) => heard.push(event));
    expect(heard.length).toBe(1);
  });

  it('the health of an engine reaches every listener, also past one that throws', () => {
    const complain = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const health = new Health();
    const heard: string[] = [];
    health.onEvent(() => {
      throw new Error('mine');
    });
    health.onEvent(({ type }) => heard.push(type));
    health.tell({ type: 'lease-lost', sessionIds: [] });
    expect([heard, complain.mock.calls.length]).toEqual([['lease-lost'], 1]);
    complain.mockRestore();
  });
});
