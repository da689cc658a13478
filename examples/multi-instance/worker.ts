/** One instance as a process of its own. */
import { redisBoard } from './board.ts';
import { openInstance } from './instance.ts';
import { runWorker } from './run-worker.ts';

await runWorker(({ name, args: [stepMs], client, backend }) =>
  openInstance({ name, backend, board: redisBoard(client), stepMs: Number(stepMs) }),
);
