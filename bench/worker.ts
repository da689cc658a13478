/**
 * Runs one workload in this process and writes its rows to standard output: `worker.ts G3 full`.
 *
 * A process of its own gives each workload a compiler that has seen nothing else, and a heap that nothing else has
 * scattered.
 *
 * @module
 */
import { fullEffort, quickEffort } from './harness.ts';
import { workloads } from './workloads/index.ts';

const [id = '', patience] = process.argv.slice(2);
const load = workloads[id];
if (load === undefined) throw new RangeError(`no workload ${id}`);
const { workload } = await load();
const rows = await workload.measure(patience === 'quick' ? quickEffort : fullEffort);
process.stdout.write(JSON.stringify({ title: workload.title, rows }), () => process.exit());
