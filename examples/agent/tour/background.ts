/** Work beside the turns: a stop of the turn leaves it alone, a stop of everything ends it. */
import { join } from 'node:path';
import { formatReport } from '../report.ts';
import type { Bench } from './bench.ts';
import { isAlive, readPids } from './processes.ts';

export async function stopBesideBackground(bench: Bench): Promise<void> {
  const pids = (): Promise<number[]> => readPids(join(bench.world.workspace, 'background.pid'));
  bench.title('a background job');
  const { status } = await bench.prompt('Please start the background job.');
  await bench.until(async () => (await pids()).length === 1);
  const [pid = 0] = await pids();
  bench.say(`── ${status}, process ${pid} runs`);
  bench.check('the turn is over and the job runs', status === 'completed' && isAlive(pid));

  await bench.stop({
    where: 'beside the background job',
    prompt: 'Tell me a story.',
    requests: 1,
    moment: () => bench.speaking(40),
  });
  bench.check('the job goes on', bench.session.background.running.length === 1 && isAlive(pid));

  bench.title('a stop of everything');
  const { accepted, settled } = bench.session.agent.cancelAll();
  const report = await settled;
  bench.say(formatReport(report));
  bench.check('the stop was accepted, with no turn running', accepted && report.turnId === undefined);
  bench.check('nothing is left running', report.abandoned.length === 0 && !isAlive(pid));
}
