import { describe, expect, it } from 'vitest';

import { cancelKinds, isKind, standardKind, type CancelKind } from '../../../src/core/foundation/cancel-kind.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';
import { reasonFromJSON, reasonToJSON } from '../../../src/core/foundation/reason-json.ts';

describe('a kind of an application', () => {
  it.each(['app:loop-detected', 'a:b', 'acme:limits:tokens'])('a kind of an application may be %s', (kind) => {
    expect(isKind(kind)).toBe(true);
    expect(createReason({ kind: kind as CancelKind })).toMatchObject({ kind, message: 'Cancelled' });
  });

  it.each(['app:', ':x', ':', 'app', '', 'toString', '__proto__', 5, null])(
    'a kind of an application may not be %o',
    (kind) => {
      expect(isKind(kind)).toBe(false);
    },
  );

  it('a kind of an application stands for "unknown" where only the words of the package itself help', () => {
    expect(standardKind('app:loop-detected')).toBe('unknown');
    expect(cancelKinds.map((kind) => standardKind(kind))).toEqual(cancelKinds);
  });

  it('a kind of an application crosses processes with its detail', () => {
    const reason = createReason({ kind: 'app:quota', message: 'Used up', detail: { used: 12, of: [10] } });
    const read = reasonFromJSON(JSON.parse(JSON.stringify(reasonToJSON(reason))));
    expect(read).toMatchObject({ kind: 'app:quota', message: 'Used up', detail: { used: 12, of: [10] } });
  });
});
