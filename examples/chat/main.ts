/** `node examples/chat/main.ts`: a chat over three instances, with a stream that survives a reload and a Stop that works. */
import { memoryBackend } from 'desist/remote';
import { launch } from '../multi-instance/launch.ts';
import { modelAt, startScriptedModel } from './model.ts';
import { bundleScript } from './script.ts';
import { openServer } from './server.ts';
import { memoryStore } from './store.ts';

const scripted = await startScriptedModel();

await launch({
  worker: new URL('worker.ts', import.meta.url),
  args: [scripted.url],
  openHere: async (names) => {
    const [backend, store, script] = [memoryBackend(), memoryStore(), await bundleScript()];
    const model = modelAt(scripted.url);
    return Promise.all(names.map((name) => openServer({ name, backend, store, model, script })));
  },
  close: () => scripted.close(),
});
