/**
 * Names of the options of a shared stream.
 *
 * @module
 */
import type { OptionNames } from '../../core/inside.ts';
import type { EventIterableOptions } from './event-source.ts';
import type { SharedStream, SharedStreamOptions } from './shared-stream.ts';

export const optionNames: OptionNames<SharedStreamOptions & EventIterableOptions> = {
  graceMs: 1,
  idleMs: 1,
  onCut: 1,
  maxLag: 1,
  name: 1,
  event: 1,
  endOn: 1,
  failOn: 1,
};

export const readerNames: OptionNames<NonNullable<Parameters<SharedStream<unknown>['reader']>[1]>> = {
  name: 1,
  idleMs: 1,
  onCut: 1,
};
