import { defineConfig, type Options } from 'tsup';
import { writeStamp } from './scripts/built-stamp.ts';
import { readDoors } from './scripts/doors.ts';
import { emitDeclarations } from './scripts/emit-declarations.ts';
import { inlineConstants } from './scripts/inline-constants.ts';
import { inlineFields } from './scripts/inline-fields.ts';
import { platformTypes } from './scripts/platform-types.ts';

const doors = Object.fromEntries(readDoors(process.cwd()).map((door) => [door.id, door.source]));

/** What the declarations are made with, once for both formats: `scripts/build.ts` makes the other's of them. */
function declarations(): Options {
  const placeOf = emitDeclarations(process.cwd());
  const entry = Object.fromEntries(Object.entries(doors).map(([id, source]) => [id, placeOf(source)]));
  return {
    entry,
    format: ['esm'],
    dts: { only: true, banner: platformTypes, entry },
    tsconfig: 'tsconfig.json',
  };
}

const scripts: Options = {
  // Besides the doors: the one that has another side, behind the condition `browser`, with the types of the first; and the program.
  entry: {
    ...doors,
    'ambient/browser': 'src/adapters/ambient/browser.ts',
    'bin/desist': 'src/testing/program/command-line/desist.ts',
  },
  // `scripts/build.ts` makes CommonJS of them.
  format: ['esm'],
  target: ['es2022', 'node20'],
  platform: 'neutral',
  external: [/^node:/],
  // One core per format, whichever doors are opened: without shared chunks every door would carry a copy.
  splitting: true,
  // Rollup then drops the variables that nobody reads.
  plugins: [{ name: 'written-out', renderChunk: (code) => ({ code: inlineFields(inlineConstants(code)) }) }],
  removeNodeProtocol: false,
  dts: false,
  clean: true,
  tsconfig: 'tsconfig.json',
  onSuccess: () => {
    writeStamp(process.cwd(), false);
    return Promise.resolve();
  },
};

export default defineConfig(({ dts }) => (dts === false ? scripts : [scripts, declarations()]));
