import { describe, expect, it } from 'vitest';

import { Gatekeeper } from '../../../../src/adapters/http-request/stop-route/gatekeeper.ts';

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

  it.each<[unknown, unknown]>([
    [true, {}],
    [{ by: 'ada' }, { by: 'ada' }],
    ...[false, undefined, null, 1, 'yes', ''].map((said): [unknown, unknown] => [said, undefined]),
  ])('a gatekeeper takes %o for %o', async (said, expected) => {
    const gate = new Gatekeeper({ authorize: () => said as never }, '/:id');
    expect(await gate.authorized(call, 'a')).toEqual(expected);
  });

  it('a gatekeeper takes a throw for no, and tells of it', async () => {
    const errors: unknown[] = [];
    const authorize = () => Promise.reject(new Error('no database'));
    const gate = new Gatekeeper({ authorize, onError: (error) => errors.push(error) }, '/:id');
    expect(await gate.authorized(call, 'a')).toBeUndefined();
    expect(errors).toEqual([new Error('no database')]);
  });

  it.each([
    ...[7, null, undefined, Symbol('ada'), {}].map((by) => ({ by })),
    ...[{}, { rows: [] }, [], [{ by: 'ada' }]],
  ])('a gatekeeper takes %o for no, and tells of it', async (said) => {
    const errors: unknown[] = [];
    const authorize = () => said as never;
    const gate = new Gatekeeper({ authorize, onError: (error) => errors.push(error) }, '/:id');
    expect(await gate.authorized(call, 'a')).toBeUndefined();
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('by a string') as string })]);
  });
});
