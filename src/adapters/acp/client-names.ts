/**
 * Names of the options of an ACP client.
 *
 * @module
 */
import type { OptionNames } from '../../core/inside.ts';
import type { AcpClientOptions, AcpPromptOptions } from './acp-client.ts';

export const optionNames: OptionNames<AcpClientOptions> = {
  agentProcess: 1,
  env: 1,
  graceMs: 1,
  onToolCallsCancelled: 1,
  onAgentStopped: 1,
  clock: 1,
};

export const promptNames: OptionNames<AcpPromptOptions> = { graceMs: 1, timeoutMs: 1, idleMs: 1 };
