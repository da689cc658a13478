/** `node examples/multi-instance/main.ts`: three instances behind a round-robin, and a page with a Stop button for each run. */
import { memoryBackend } from 'desist/remote';
import { memoryBoard } from './board.ts';
import { openInstance } from './instance.ts';
import { launch } from './launch.ts';

const stepMs = process.env['STEP_MS'] ?? '1500';

await launch({
  worker: new URL('worker.ts', import.meta.url),
  args: [stepMs],
  openHere: (names) => {
    const [backend, board] = [memoryBackend(), memoryBoard()];
    return Promise.all(names.map((name) => openInstance({ name, backend, board, stepMs: Number(stepMs) })));
  },
});
