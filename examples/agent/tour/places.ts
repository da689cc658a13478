/** Stops at the places where stopping usually fails. */
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { isAlive, readPids } from './processes.ts';

export async function stopInStream(bench: Bench): Promise<void> {
  await bench.stop({
    where: 'during the stream',
    prompt: 'Tell me a story.',
    requests: 1,
    moment: () => bench.speaking(40),
  });
}

export async function stopInShell(bench: Bench): Promise<void> {
  const pids = (): Promise<number[]> => readPids(join(bench.world.workspace, 'pids'));
  await bench.stop({
    where: 'during the shell tool',
    prompt: 'Please run the long job.',
    requests: 1,
    moment: () => bench.until(async () => (await pids()).length === 2),
  });
  const found = await pids();
  bench.check(`the processes ${found.join(' and ')} are gone`, found.length === 2 && !found.some(isAlive));
}

export async function stopInMcp(bench: Bench): Promise<void> {
  await bench.stop({
    where: 'during the MCP tool',
    prompt: 'Please search the index.',
    requests: 1,
    moment: () => bench.called('search'),
  });
}

export async function stopInSubagent(bench: Bench): Promise<void> {
  await bench.stop({
    where: 'during the sub-agent',
    prompt: 'Please delegate it.',
    requests: 2,
    moment: () => bench.speaking(60, 'delegate'),
  });
}

/** The sub-agent's answer was needed: its stop is the turn's. */
export async function stopOfSubagent(bench: Bench): Promise<void> {
  const report = await bench.stop({
    where: 'of the sub-agent alone, which is needed',
    prompt: 'Please delegate it.',
    requests: 2,
    moment: () => bench.speaking(60, 'delegate'),
    stop: () => bench.session.skip(),
  });
  bench.check('the reason names the sub-agent', report?.reason?.source === 'explore');
}

/** The sub-agent's answer was nice to have: the turn goes on and knows that it did not come. */
export async function stopOfHelper(bench: Bench): Promise<void> {
  bench.title('a stop of the sub-agent alone, which is not needed');
  const before = bench.server.requests.length;
  const turn = bench.prompt('Please consult somebody.');
  await bench.speaking(60, 'consult');
  const receipt = bench.session.skip();
  await receipt?.settled;
  const { status, calls } = await turn;
  const [call] = calls;
  bench.say(`── ${status}; ${call?.name}: ${call?.status}`);
  bench.check('the stop was accepted and the turn completed', receipt?.accepted === true && status === 'completed');
  bench.check('the call says who was stopped', call?.status === 'stopped' && call.by === 'reviewer');
  bench.checkRequests(before, 3);
  await bench.checkRest();
}
