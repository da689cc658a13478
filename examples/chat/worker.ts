/** One instance as a process of its own. */
import { runWorker } from '../multi-instance/run-worker.ts';
import { modelAt } from './model.ts';
import { bundleScript } from './script.ts';
import { openServer } from './server.ts';
import { redisStore } from './store.ts';

await runWorker(async ({ name, args: [url = ''], client, backend }) =>
  openServer({ name, backend, store: redisStore(client), model: modelAt(url), script: await bundleScript() }),
);
