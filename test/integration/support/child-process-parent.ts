/**
 * A program that starts a tree and then ends in the way its first argument says.
 *
 * @module
 */
import { cancellableExec } from '../../../src/adapters/child-process/index.ts';

const [, , how, tag] = process.argv;

if (how === 'background') {
  // Nothing else keeps this program alive: it must end although the background job holds the pipes.
  const { background } = await cancellableExec(`sleep ${String(tag)} & echo out`);
  console.log(`background ${String(background.length)}`);
} else {
  const run = cancellableExec(`sleep ${String(tag)} & setsid sleep ${String(tag)} & echo ready; wait`);
  run.stdout?.once('data', () => {
    console.log('ready');
    // Who watches says when both have been started.
    process.stdin.once('data', () => {
      if (how === 'exit') process.exit(7);
      throw new Error('on purpose');
    });
  });
}
