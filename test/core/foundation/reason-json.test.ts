import { describe, expect, it } from 'vitest';

import { createReason, isCancelReason } from '../../../src/core/foundation/reason.ts';
import { reasonFromJSON, reasonToJSON } from '../../../src/core/foundation/reason-json.ts';
import { cancelKinds } from '../../../src/core/foundation/cancel-kind.ts';

const secret = { password: 'hunter2' };

describe('JSON', () => {
  it.each(cancelKinds)('a reason of kind %s goes through and comes back', (kind) => {
    for (const extra of [{}, { by: 'ada' }, { source: 'turn' }, { by: 'ada', source: 'turn' }]) {
      const reason = createReason({ kind, message: `about ${kind}`, at: 1_700_000_000_000.5, ...extra });
      const back = reasonFromJSON(JSON.parse(JSON.stringify(reasonToJSON(reason))));
      expect({ ...back }).toEqual({ ...reason });
      expect(isCancelReason(back)).toBe(true);
      expect(Object.isFrozen(back)).toBe(true);
    }
  });

  it('the JSON of a reason has no cause, whatever it is', () => {
    const json = reasonToJSON(createReason({ kind: 'user', at: 5, cause: secret }));
    expect(json).toEqual({ kind: 'user', message: 'User cancelled', at: 5 });
    expect(JSON.stringify(json)).not.toContain('hunter2');
  });

  it('the JSON of a reason has no cause either when a logger or a pipe serialises the reason itself', () => {
    const reason = createReason({ kind: 'user', cause: secret });
    expect(JSON.stringify(reason)).not.toContain('hunter2');
    expect(JSON.stringify({ nested: [reason] })).not.toContain('hunter2');
  });

  it('the JSON of a reason takes no cause back in', () => {
    expect(reasonFromJSON({ kind: 'user', message: 'x', at: 1, cause: secret }).cause).toBeUndefined();
  });

  it('the JSON of a reason calls a kind it does not know unknown', () => {
    for (const kind of ['from-the-future', undefined, 5, 'toString']) {
      expect(reasonFromJSON({ kind, message: 'x', at: 1 })).toMatchObject({ kind: 'unknown', message: 'x', at: 1 });
    }
  });

  it('the JSON of a reason drops names that are no strings', () => {
    expect(Object.keys(reasonFromJSON({ kind: 'user', message: 'x', at: 1, by: 5, source: {} })).sort()).toEqual([
      'at',
      'kind',
      'message',
    ]);
  });

  it.each<[unknown]>([
    [null],
    [undefined],
    ['user'],
    [5],
    [{}],
    [{ message: 'x' }],
    [{ at: 5 }],
    [{ message: 5, at: 5 }],
    [{ message: 'x', at: '5' }],
    [{ message: 'x', at: NaN }],
    [[]],
  ])('the JSON of a reason refuses %o', (json) => {
    expect(() => reasonFromJSON(json)).toThrow(TypeError);
  });
});
