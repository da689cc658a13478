/**
 * Names of the options of a client that restarts its server.
 *
 * @module
 */
import type { OptionNames } from '../../core/inside.ts';
import type { RestartableClientOptions } from './server-keeper.ts';

export const optionNames: OptionNames<RestartableClientOptions<never>> = {
  afterCancel: 1,
  graceMs: 1,
  probe: 1,
  onServerStopped: 1,
  clock: 1,
};
