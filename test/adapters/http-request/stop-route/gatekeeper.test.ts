import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';

import { Gatekeeper, type GatekeeperOptions } from '../../../../src/adapters/http-request/stop-route/gatekeeper.ts';

import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const call = { header: () => undefined, address: undefined, raw: {} };

describe('a gatekeeper', () => {
  it('a gatekeeper takes the id out of the paths of its form', () => {
    const gate = new Gatekeeper({ authorize: () => true }, '/runs/:id/stop');
    expect(
      ['/runs/a%2Fb/stop', '/runs//stop', '/runs/a/b/stop', '/runs/a', '/x'].map((path) => gate.match(path)),
    ).toEqual(['a%2Fb', undefined, undefined, undefined, undefined]);
    const own = new Gatekeeper({ authorize: () => true, route: '/:id' }, '/runs/:id/stop');
    expect(own.match('/a')).toBe('a');
  });

  it('a gatekeeper takes the name of a group out of a path, where it may', () => {
    const authorize = () => true;
    const gate = new Gatekeeper({ authorize, route: '/groups/:group/stop' }, '/runs/:id/stop', true);
    expect([gate.names, gate.match('/groups/user%3A7/stop'), gate.match('/groups/a/b/stop')]).toEqual([
      'group',
      'user%3A7',
      undefined,
    ]);
    expect(new Gatekeeper({ authorize }, '/runs/:id/stop', true).names).toBe('id');
    for (const route of ['/groups/:group/stop', '/:id/:id'])
      expect(() => new Gatekeeper({ authorize, route }, '/:id')).toThrow("route must hold ':id' once, got ");
    for (const route of ['/:group/:group', '/runs'])
      expect(() => new Gatekeeper({ authorize, route }, '/:id', true)).toThrow(
        "must hold ':id' or ':group' once, got ",
      );
  });

  it.each<[unknown, unknown]>([
    [true, {}],
    [{ by: 'ada' }, { by: 'ada' }],
    ...[false, undefined, null, 1, 'yes', ''].map((said): [unknown, unknown] => [said, undefined]),
  ])('a gatekeeper takes %o for %o', async (said, expected) => {
    const gate = new Gatekeeper({ authorize: () => said as never }, '/:id');
    expect(await gate.authorized(call, ['a', 'b'])).toEqual([expected, expected]);
  });

  it('a gatekeeper takes a throw for no, and tells of it', async () => {
    const errors: unknown[] = [];
    const authorize = () => Promise.reject(new Error('no database'));
    const gate = new Gatekeeper({ authorize, onError: (error) => errors.push(error) }, '/:id');
    expect(await gate.authorized(call, ['a'])).toEqual([undefined]);
    expect(errors).toEqual([new Error('no database')]);
  });

  it.each([
    ...[7, null, undefined, Symbol('ada'), {}].map((by) => ({ by })),
    ...[{}, { rows: [] }, [], [{ by: 'ada' }], { by: '' }, { by: ' ' }],
  ])('a gatekeeper takes %o for no, and tells of it', async (said) => {
    const errors: unknown[] = [];
    const authorize = () => said as never;
    const gate = new Gatekeeper({ authorize, onError: (error) => errors.push(error) }, '/:id');
    expect(await gate.authorized(call, ['a'])).toEqual([undefined]);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('by a string') as string })]);
  });

  it.each([
    ['says yes', () => true],
    ['throws', () => Promise.reject(new Error('the query was given up'))],
    ['never settles', () => new Promise<boolean>(() => undefined)],
  ])('a gatekeeper does not wait for an authorize that %s too late, and tells of it once', async (_, late) => {
    const clock = new VirtualClock();
    const errors: unknown[] = [];
    const kinds: unknown[] = [];
    const gate = new Gatekeeper(
      {
        ...{ authorizeMs: 300, clock, onError: (error: unknown) => errors.push(error) },
        authorize: async (_call, _runId, token) => {
          kinds.push((await token.whenCancelled()).kind);
          return late();
        },
      },
      '/:id',
    );
    const asked = expect(gate.authorized(call, ['a', 'b'])).rejects.toMatchObject({ name: 'Refusal', status: 503 });
    await clock.advance(299);
    expect(kinds).toEqual([]);
    await clock.advance(1);
    await asked;
    await clock.advance(0);
    expect([kinds, errors.map(String), clock.pending]).toEqual([
      ['deadline', 'deadline'],
      ['Error: authorize did not answer within 300 ms'],
      0,
    ]);
  });

  it('a gatekeeper gives up for a client that has left, and nobody is told', async () => {
    const clock = new VirtualClock();
    const client = new AbortController();
    const errors: unknown[] = [];
    const authorize: GatekeeperOptions['authorize'] = async (_call, _runId, token) => {
      await token.whenCancelled();
      throw new Error('given up');
    };
    const gate = new Gatekeeper({ authorize, clock, onError: (error) => errors.push(error) }, '/:id');
    const asked = expect(gate.authorized(call, ['a'], client.signal)).rejects.toMatchObject({ status: 503 });
    client.abort();
    await asked;
    await clock.advance(0);
    expect([errors, clock.pending, getEventListeners(client.signal, 'abort').length]).toEqual([[], 0, 0]);
  });

  it('a gatekeeper leaves no timer and no listener behind an answer', async () => {
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    await new Gatekeeper({ authorize: () => true, clock }, '/:id').authorized(call, ['a'], signal);
    expect([clock.pending, getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  });
});
