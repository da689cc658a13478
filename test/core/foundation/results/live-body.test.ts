import { describe, expect, it } from 'vitest';

import { isBody } from '../../../../src/core/foundation/results/live-body.ts';
import { liveBodies, noBodies } from '../../../support/live-bodies.ts';

describe('isBody', () => {
  it.each(liveBodies)('%s is a body', (_, make) => {
    expect(isBody(make())).toBe(true);
  });
  it.each(noBodies)('%s is not a body', (_, value) => {
    expect(isBody(value)).toBe(false);
  });
});
