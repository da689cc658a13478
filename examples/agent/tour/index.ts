/** The tour: stops an agent at the places where stopping usually fails, and checks each time that it did stop. */
import type { World } from '../world.ts';
import { stopBesideBackground } from './background.ts';
import { Bench } from './bench.ts';
import { messageInStream, messageInTool, questions, stopInQuestion } from './messages.ts';
import { stopInMcp, stopInShell, stopInStream, stopInSubagent, stopOfHelper, stopOfSubagent } from './places.ts';
import { isAlive } from './processes.ts';

const stations: readonly ((bench: Bench) => Promise<void>)[] = [
  stopInStream,
  stopInShell,
  stopInMcp,
  stopInSubagent,
  stopOfSubagent,
  stopOfHelper,
  messageInStream,
  messageInTool,
  questions,
  stopInQuestion,
  stopBesideBackground,
  goOn,
];

/** After all that the conversation still works, and the model has been told of each stop once. */
async function goOn(bench: Bench): Promise<void> {
  bench.title('and the next prompt');
  const { status } = await bench.prompt('Something quick, please.');
  bench.say(`── ${status}`);
  bench.check('the next prompt is answered', status === 'completed');
  const told = bench.requestsWith('The user stopped your previous turn').length;
  bench.check('the model was told of each stop, once', told === bench.stops);
  bench.check(
    'no request was refused',
    bench.server.requests.every(({ status: code }) => (code ?? 200) < 400),
  );
}

/** Plays the tour and returns the exit code. */
export async function playTour(world: World, write: (text: string) => void): Promise<number> {
  if (world.server === undefined) throw new TypeError('the tour needs the embedded model');
  const bench = new Bench(world, world.server, write);
  try {
    for (const station of stations) await station(bench);
  } finally {
    await bench.session.agent.close();
  }
  await world.close();
  const mcpGone = !isAlive(world.mcpPid);
  if (!mcpGone) write(`✗ NOT TRUE: the MCP server (pid ${world.mcpPid}) is gone\n`);
  const ok = bench.failures === 0 && mcpGone;
  write(ok ? '\nEvery stop was complete.\n' : '\nNot every stop was complete.\n');
  return ok ? 0 : 1;
}
