import { expect, it } from 'vitest';

import { abandonedBy, abandonedWork } from '../../../../src/core/foundation/results/abandoned-work.ts';
import { createCancelledError, DeadlineExceededError } from '../../../../src/core/foundation/errors.ts';
import { createReason } from '../../../../src/core/foundation/reason.ts';

it('work that was left behind shows its name alone, and keeps what it comes to', async () => {
  const work = abandonedWork('read', Promise.resolve({ status: 'completed', value: 7 } as const));
  expect([JSON.stringify(work), Object.keys(work)]).toEqual(['{"name":"read"}', ['name']]);
  expect(await work.late).toEqual({ status: 'completed', value: 7 });
  expect('late' in abandonedWork('read')).toBe(false);
});

it('work that was left behind is what an error of ours names, and no other error', () => {
  const work = abandonedWork('read');
  const cancelled = createCancelledError(createReason('user'), { abandoned: work });
  expect(abandonedBy(cancelled)).toBe(work);
  expect(abandonedBy(createCancelledError(createReason('user')))).toBeUndefined();
  expect(abandonedBy(Object.assign(new Error('x'), { abandoned: work }))).toBeUndefined();
  expect(DeadlineExceededError).toBeDefined();
});
