/**
 * A child process that shares its parent's token over IPC.
 *
 * @module
 */
import { receiveToken } from '../../../src/adapters/worker/index.ts';

const received = receiveToken(process);
if (process.argv[2] === 'cancels') {
  received.cancel({ kind: 'budget', message: 'deep enough' });
  await new Promise((resolve) => process.once('disconnect', resolve));
} else {
  process.send?.('ready');
  const reason = await received.token.whenCancelled();
  process.send?.({ kind: reason.kind, by: reason.by });
  received.release();
}
