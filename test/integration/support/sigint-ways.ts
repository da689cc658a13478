/**
 * A turn that runs a command, and a command in the background, under one of the three ways in which a program hears Ctrl+C: `WAY`.
 * `TURN` and `BACK` are what the two commands sleep.
 */
import { drainOnSignals } from '../../../src/adapters/process-signals/index.ts';
import { cancellableExec } from '../../../src/adapters/child-process/index.ts';
import { watchTerminal } from '../../../src/adapters/terminal/index.ts';
import { delay, InterruptController } from '../../../src/index.ts';

const { WAY: way, TURN: inTurn = '', BACK: inBackground = '' } = process.env;
const agent = new InterruptController({ name: 'Ada' });
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (way === 'watchTerminal') watchTerminal(agent);
else if (way === 'drainOnSignals') drainOnSignals(agent);
else process.on('SIGINT', agent.cancel);

const server = agent.background('server', ({ token }) => cancellableExec(`exec sleep ${inBackground}`, { token }));
void server.outcome.then(({ status }) => say(`<background ${status}>`));
const turn = agent.runTurn(({ tool }) =>
  tool({ id: 'c1', name: 'shell' }, async (_call, { token }) => {
    const running = cancellableExec(`exec sleep ${inTurn}`, { token });
    say('<runs>');
    await running;
  }),
);
const report = await turn;
say(`<turn ${report.status}>`);
await delay(null, 60_000);
