import { expect, it } from 'vitest';

import { lostNote } from '../../../../src/core/foundation/results/lost-note.ts';

it('names all that the provider ran', () => {
  expect(lostNote(['search', 'pay'])).toBe(
    '[Your reply was cut while the provider ran: search, pay. It may have run to its end; its result is lost.]',
  );
});
