/** S38 with a real command: what had to be killed is said so, and nothing above it is called "still running". */
import { expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { cancellableSpawn } from '../../src/adapters/child-process/index.ts';

it.runIf(process.platform !== 'win32')(
  'S38 a command that traps TERM under two sub-agents: nothing is abandoned, every level is stopped, and its row says that it was killed',
  async () => {
    const agent = new InterruptController();
    let ready = (): void => undefined;
    const isUp = new Promise<void>((resolve) => {
      ready = resolve;
    });
    let signal: string | null | undefined;
    const statuses: string[] = [];
    const running = agent.runTurn((root) =>
      root.tool({ id: 'first', name: 'first' }, async (_first, one) => {
        const turn = await one.subagent('one').runTurn((middle) =>
          middle.tool({ id: 'second', name: 'second' }, async (_second, two) => {
            const last = await two.subagent('two').runTurn((leaf) =>
              leaf.tool({ id: 'leaf', name: 'leaf' }, async (_leaf, { token, track }) => {
                const command = cancellableSpawn(
                  'sh',
                  ['-c', `trap '' TERM INT HUP; echo up; while :; do sleep 0.1; done`],
                  {
                    token,
                  },
                );
                command.stdout?.once('data', ready);
                const result = await track({ kind: 'process', name: 'sh' }, command);
                ({ signal } = result);
                token.throwIfCancelled();
                return result;
              }),
            );
            statuses.push(...last.calls.map(({ status }) => status));
            return last;
          }),
        );
        statuses.push(...turn.calls.map(({ status }) => status));
        return turn;
      }),
    );
    await isUp;
    const stop = await agent.cancel().settled;
    const report = await running;
    statuses.push(...report.calls.map(({ status }) => status));
    expect([stop.abandoned, signal]).toEqual([[], 'SIGKILL']);
    expect(statuses).toEqual(['stopped', 'stopped', 'stopped']);
    expect(stop.operations.filter(({ kind }) => kind === 'process')).toMatchObject([
      { name: expect.stringContaining('sh') },
    ]);
  },
);
