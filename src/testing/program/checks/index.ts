/**
 * All checks, in the order in which they are played.
 *
 * @module
 */
import type { Check } from './check.ts';
import { hangup, kill, quit, resume, terminate } from './leaving.ts';
import { mcp, message, queued } from './speaking.ts';
import { batch, retry, stream, tool } from './stopping.ts';

/** See the module. */
export const checks: readonly Check[] = [
  stream,
  tool,
  batch,
  message,
  queued,
  retry,
  mcp,
  quit,
  terminate,
  hangup,
  kill,
  resume,
];
