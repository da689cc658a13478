/** The demo: `npm start`. A small coding agent, built only on the public doors of this package, that really stops. */
import { talk, runOnce } from './interactive.ts';
import { UserError, readOptions, usage } from './options.ts';
import { playTour } from './tour/index.ts';
import { openWorld, type World } from './world.ts';

async function main(): Promise<number> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const options = readOptions(process.argv.slice(2), process.env, isTerminal);
  if (options === undefined) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (options.mode === 'interactive' && !isTerminal) throw new UserError('a conversation needs a terminal');
  let world: World | undefined;
  try {
    world = await openWorld(options);
    if (options.mode === 'tour') return await playTour(world, (text) => process.stdout.write(text));
    if (options.prompt !== undefined) return await runOnce(world, options.prompt);
    if (options.ui === 'plain') return await talk(world, options);
    const { talkInk } = await import('./ink.ts');
    return await talkInk(world, options);
  } finally {
    await world?.close();
    for (const path of world?.traces?.paths ?? []) process.stdout.write(`the picture of a stop: ${path}\n`);
  }
}

/** Leaves once everything is written, also if something that was left behind would keep the process. */
function leave(code: number): void {
  process.stdout.write('', () => {
    process.exit(code);
  });
}

main().then(leave, (error: unknown) => {
  process.stderr.write(`${error instanceof UserError ? error.message : String((error as Error).stack)}\n`);
  leave(error instanceof UserError ? 2 : 1);
});
