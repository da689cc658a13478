/** W2: one stop for very many turns. */
import { CancellationTokenSource, InterruptController, delay } from 'desist';
import { heapUsed, median } from '../harness.ts';
import type { Workload } from '../workload.ts';

const OPERATIONS = 10;
const HOUR_MS = 3_600_000;

async function stopAll(turns: number): Promise<number> {
  const server = new CancellationTokenSource({ name: 'server' });
  const calls = Array.from({ length: OPERATIONS }, (_, index) => ({ id: `call_${String(index)}`, name: 'wait' }));
  const reports = Array.from({ length: turns }, () =>
    new InterruptController({ token: server.token }).runTurn((turn) =>
      turn.tools(calls, (_call, { token }) => delay(token, HOUR_MS)),
    ),
  );
  // Until every call of every turn waits for its hour.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const before = process.hrtime.bigint();
  server.cancel('shutdown');
  for (const report of await Promise.all(reports)) {
    if (report.status !== 'cancelled') throw new Error(`a turn is ${report.status}`);
    for (const { status } of report.calls) if (status !== 'stopped') throw new Error(`a call is ${status}`);
  }
  const after = process.hrtime.bigint();
  server.release();
  return Number(after - before) / 1000 / (turns * OPERATIONS);
}

export const workload: Workload = {
  id: 'W2',
  title: 'Cancel 10,000 turns of ten operations each, at once',
  async measure(effort) {
    const turns = 10_000 * effort.scale;
    await stopAll(turns / 10);
    const base = await heapUsed();
    const micros: number[] = [];
    for (let round = 0; round < Math.min(effort.rounds, 5); round++) micros.push(await stopAll(turns));
    const left = (await heapUsed()) - base;
    return [
      { what: 'until the last is settled, per operation', value: median(micros), unit: 'µs' },
      { what: 'heap left afterwards, per turn', value: left / turns / micros.length, unit: 'bytes', atMost: 8 },
    ];
  },
};
