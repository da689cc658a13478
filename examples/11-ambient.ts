/**
 * Two turns run side by side, and a function deep below that was handed no token knows whose turn it works for.
 */
import { EventEmitter } from 'node:events';

import { CancellationTokenSource, CancelledError, checkpoint } from 'desist';
import { bind, currentToken, runWithToken } from 'desist/ambient';

/** Deep inside a library: no parameter for a token, and no way to add one. */
async function parse(lines: readonly string[]): Promise<string> {
  for (const line of lines) {
    checkpoint(currentToken());
    await Promise.resolve();
    console.log(`${currentToken().name}: ${line}`);
  }
  return 'parsed';
}

const ada = new CancellationTokenSource({ name: "ada's turn" });
const bob = new CancellationTokenSource({ name: "bob's turn" });
const turns = [ada, bob].map(({ token }) =>
  runWithToken(token, () => parse(['one', 'two', 'three'])).catch((error: unknown) => {
    if (!(error instanceof CancelledError)) throw error;
    return `stopped by ${error.reason.by}`;
  }),
);
await Promise.resolve();
ada.cancel({ kind: 'user', by: 'ada' });
console.log((await Promise.all(turns)).join(' | '));

// A callback runs in the flow of whoever makes the call: bind it, and it keeps the token of where it was registered.
const socket = new EventEmitter();
runWithToken(bob.token, () => {
  socket.on('data', () => console.log(`plain: ${currentToken().name}`));
  socket.on(
    'data',
    bind(() => console.log(`bound: ${currentToken().name}`)),
  );
  bob.token.onCancelled(bind(({ kind }) => console.log(`bound: ${currentToken().name} (${kind})`)));
});
runWithToken(ada.token, () => socket.emit('data'));
runWithToken(ada.token, () => bob.cancel('shutdown'));
console.log(`outside: ${currentToken().canBeCancelled}`);

// Output:
// ada's turn: one
// bob's turn: one
// ada's turn: two
// bob's turn: two
// bob's turn: three
// stopped by ada | parsed
// plain: ada's turn
// bound: bob's turn
// bound: bob's turn (shutdown)
// outside: false
