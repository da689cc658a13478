/**
 * An agent at a terminal whose tool runs a shell with a background job. Says when each part of a stop happened, in
 * epoch milliseconds on lines of their own: `<running>`, `<requested 1.5>`, `<fired 1.6>`, `<gone 9.2>`.
 */
import { InterruptController } from 'desist';
import { cancellableExec } from 'desist/child-process';
import { watchTerminal } from 'desist/terminal';

const rounds = Number(process.argv[2]);
const say = (what: string): void => {
  const at = performance.timeOrigin + performance.now();
  process.stdout.write(`<${what} ${at.toFixed(3)}>\n`);
};

const agent = new InterruptController({ name: 'main' });
agent.onEvent((event) => {
  if (event.type === 'interrupt-requested') say('requested');
});
const terminal = watchTerminal(agent);
for (let round = 0; round < rounds; round++) {
  await agent.runTurn(async ({ token }) => {
    token.onCancelled(() => say('fired'));
    const tool = cancellableExec('sleep 61 & echo ready; sleep 62', { token });
    tool.stdout?.once('data', () => say('running'));
    const { survivors } = await tool;
    say(survivors.length === 0 ? 'gone' : 'left');
  });
}
await terminal.close();
