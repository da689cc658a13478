/**
 * Packs the built package, installs it into a fresh folder, and prints the folder: there `smoke/smoke.mjs` runs on any
 * runtime. The caller removes the folder.
 *
 * @module
 */
import { installPacked } from '../test/package/consumer.ts';

console.log(installPacked().folder);
