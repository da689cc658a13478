import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { afterEach, describe, expect, it } from 'vitest';

import { adopt } from '../../src/adapters/child-process/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';

const tag = uniqueSleep();
afterEach(() => killAll(tag));

describe('S24 a process that somebody else started', () => {
  it('S24 known by its pid and stopped in the tick of its start is gone, and named by nobody', async () => {
    const told: unknown[] = [];
    for (let round = 0; round < 40; round += 1) {
      const child = spawn('sleep', [tag], { detached: true, stdio: 'ignore' });
      const source = new CancellationTokenSource();
      const adopted = adopt({ pid: child.pid }, { token: source.token, onSurvivor: (one) => told.push(one) });
      source.cancel('user');
      const { survivors, stoppedBy } = await adopted;
      expect({ survivors, kind: stoppedBy?.kind }).toEqual({ survivors: [], kind: 'user' });
    }
    expect(told).toEqual([]);
    expect(processesNamed(tag)).toEqual([]);
  });

  it('S24 that could not be started is an error, whenever it is adopted', async () => {
    const child = spawn('/no/such/program');
    const failed = once(child, 'error');
    await expect(adopt(child).result).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(failed).resolves.toMatchObject([{ code: 'ENOENT' }]);
    expect(() => adopt(child)).toThrow(TypeError);
  });
});
