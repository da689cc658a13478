/**
 * Plants a gap back into a classic agent: loaded before the program, it changes one place of one of its files on the way
 * from the disk. A place that is not there exactly once ends the program, so that no plant is silently lost.
 */
import { registerHooks } from 'node:module';

const { file, from, to } = JSON.parse(process.env['PLANT'] ?? '{}') as Record<'file' | 'from' | 'to', string>;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!new URL(url).pathname.endsWith(`/${file}`)) return loaded;
    const parts = Buffer.from(loaded.source as Uint8Array)
      .toString()
      .split(from);
    if (parts.length !== 2) {
      process.stderr.write(`plant: ${String(parts.length - 1)} places in ${file} read: ${from}\n`);
      process.exit(99);
    }
    return { ...loaded, source: parts.join(to) };
  },
});
