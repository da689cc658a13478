import { expect, it, vi } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { StopReport } from '../../../src/core/interrupt/public-types/stop-report.ts';
import { tellHosting, type ToldHosting } from '../../../src/remote/requester/tell-hosting.ts';

const ask = { id: 'a', reason: createReason({ kind: 'user' }), level: 'cancel', from: 'here' } as const;
const report = Promise.resolve({} as StopReport);

function hosting(more: Partial<ToldHosting> = {}) {
  const until = vi.fn(() => Promise.resolve({ status: 'settled' }));
  const send = vi.fn(() => Promise.resolve({ until }));
  const tellMembers = vi.fn();
  const run = { epoch: 3 as number | undefined, tellHere: vi.fn(() => report), named: { tellMembers } };
  const told = {
    runId: 'r',
    run,
    claimed: Promise.resolve(),
    isHere: () => true,
    pursuits: { send },
    waitMs: 700,
    ...more,
  };
  return { told: told as unknown as ToldHosting, run, send, until, tellMembers };
}

it('a stop that a host tells is told in the name of its hosting, and waited for', async () => {
  const { told, send, until } = hosting();
  expect(await tellHosting(told, ask, report)).toBe(true);
  expect(send).toHaveBeenCalledWith('r', { ...ask, only: 3 }, report);
  expect(until).toHaveBeenCalledWith('settled', 700);
});

it('a host tells those who work for it here at once, and waits for the number of its hosting', async () => {
  const { told, run, send, tellMembers } = hosting();
  run.epoch = undefined;
  const claimed = Promise.resolve().then(() => (run.epoch = 7));
  const isOver = tellHosting({ ...told, claimed }, ask, report);
  expect(tellMembers).toHaveBeenCalledWith(ask);
  expect(await isOver).toBe(true);
  expect(send).toHaveBeenCalledWith('r', { ...ask, only: 7 }, report);
});

it('a host tells nobody of a hosting that is over: they have heard of its end', async () => {
  for (const isOver of ['never claimed', 'replaced']) {
    const { told, run, send } = hosting({ isHere: () => isOver === 'never claimed' });
    if (isOver === 'never claimed') run.epoch = undefined;
    expect(await tellHosting(told, ask, report), isOver).toBe(true);
    expect(send, isOver).not.toHaveBeenCalled();
  }
});

it('a host says so where somebody has not ended in time', async () => {
  const { told, until } = hosting();
  until.mockResolvedValue({ status: 'told' });
  expect(await tellHosting(told, ask, report)).toBe(false);
});
