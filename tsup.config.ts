import { defineConfig } from 'tsup';
import { readDoors } from './scripts/doors.ts';
import { platformTypes } from './scripts/platform-types.ts';

export default defineConfig({
  entry: Object.fromEntries(readDoors(process.cwd()).map((door) => [door.id, door.source])),
  format: ['esm', 'cjs'],
  target: ['es2022', 'node20'],
  platform: 'neutral',
  external: [/^node:/],
  // One core per format, whichever doors are opened: without shared chunks every door would carry a copy.
  splitting: true,
  // Rollup writes the CommonJS chunks; tsup's other way rewrites `?.` and `??` into helper calls, in hot paths too.
  treeshake: true,
  removeNodeProtocol: false,
  dts: { banner: platformTypes },
  clean: true,
  tsconfig: 'tsconfig.json',
});
