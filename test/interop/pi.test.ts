/** `desist/pi` with the real loop of pi and its real client: stopped at every place, and left as it was. */
import { describe, expect, it } from 'vitest';

import { underTurn } from '../../src/adapters/pi/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { leakCheck } from '../../src/testing/leaks/leak-check.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { Conversation } from '../../src/transcript/index.ts';
import { deafWork, settlesWithin } from './stage.ts';
import { callsOf, rowsOf } from './support/frameworks/loop-stage.ts';
import { pis } from './support/frameworks/pi.ts';
import {
  obedientWork,
  piStageOf,
  rolesOf,
  statusOf,
  streamOf,
  unanswered,
  whenStreams,
} from './support/frameworks/pi-stage.ts';
import { playsBare } from '../support/bare.ts';

describe.each(playsBare ? pis : [])('$name: pi alone', (version) => {
  const piStage = piStageOf(version);

  it('waits for a tool that does not listen, behind its abort', async () => {
    const deaf = deafWork();
    const { pi } = await piStage([callsOf('deploy'), 'no'], { tools: { deploy: deaf.run } });
    const running = pi.prompt('go');
    await deaf.started;
    pi.abort();
    expect(await settlesWithin(running, 300)).toBe(false);
    deaf.end.resolve('deployed');
    await running;
  });

  it('is held for ever by a question that nobody answers', async () => {
    const { asked, beforeToolCall } = unanswered();
    const { pi } = await piStage([callsOf('rm')], { tools: { rm: () => 'removed' }, options: { beforeToolCall } });
    void pi.prompt('go');
    await asked;
    pi.abort();
    await new Promise<void>((resolve) => setImmediate(resolve));
    await expect(pi.prompt('next')).rejects.toThrow('already processing');
  });

  it('leaves the words of a cut reply out of its next request', async () => {
    const { pi, server, told } = await piStage([{ text: 'one two three', silentAfter: 2 }, 'Went on.']);
    const running = pi.prompt('go');
    await server.waitFor(({ requests }) => requests[0]?.deltasWritten === 2);
    pi.abort();
    await running;
    await pi.prompt('again');
    expect(told().join()).not.toContain('one');
  });
});

describe.each(pis)('$name: pi under a turn', (version) => {
  const piStage = piStageOf(version);

  it('runs its loop as it is, and leaves the agent as it was', async () => {
    const { pi, prompt, server } = await piStage([callsOf('look'), 'Fine.'], { tools: { look: () => 'seen' } });
    const { beforeToolCall } = pi;
    const streamFn = streamOf(pi);
    const { tools } = pi.state;
    const report = await prompt('go');
    expect([report.status, ...rowsOf(report)]).toEqual(['completed', 'look: completed']);
    expect(rolesOf(pi)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
    expect([streamOf(pi), pi.beforeToolCall, server.requests.length]).toEqual([streamFn, beforeToolCall, 2]);
    expect(pi.state.tools).toEqual(tools);
  });

  it('S01 S02 S11 a stop names the deaf tool, starts nothing more, and the model reads the ledger', async () => {
    const deaf = deafWork();
    const { agent, prompt, server, results } = await piStage([callsOf('deploy', 'rm'), 'Went on.'], {
      tools: { deploy: deaf.run, rm: () => 'removed' },
      options: { toolExecution: 'sequential' },
    });
    const running = prompt('go');
    await deaf.started;
    const { settled } = agent.cancel('user');
    const report = await running;
    expect([report.status, ...rowsOf(report)]).toEqual(['cancelled', 'deploy: unknown', 'rm: not-started']);
    expect((await settled).abandoned).toEqual(['deploy']);
    expect(server.requests).toHaveLength(1);
    deaf.end.resolve('deployed');
    expect((await prompt('and now')).status).toBe('completed');
    expect(results()[0]).toContain('may still complete, or have completed');
    expect(results()[1]).toContain('was not started');
  });

  it('S02 an obedient tool is stopped, and the loop asks once less', async () => {
    const { started, run } = obedientWork();
    const { agent, pi, prompt, server, results } = await piStage([callsOf('work'), 'Went on.'], {
      tools: { work: run },
    });
    const running = prompt('go');
    await started;
    agent.cancel('user');
    const report = await running;
    expect([report.status, ...rowsOf(report), server.requests.length]).toEqual(['cancelled', 'work: stopped', 1]);
    expect(pi.state.isStreaming).toBe(false);
    await prompt('again');
    expect(results()[0]).toMatch(/stopped/);
  });

  it('a stop before the first word closes the request, and leaves nothing of a reply', async () => {
    const { agent, pi, prompt, server } = await piStage([{ silent: true }, 'Went on.']);
    const running = prompt('go');
    await server.waitFor(({ requests }) => requests.length === 1);
    agent.cancel('user');
    expect((await running).status).toBe('cancelled');
    await server.waitFor(({ requests }) => requests[0]?.closedAt !== undefined);
    expect(rolesOf(pi)).toEqual(['user']);
    expect((await prompt('again')).status).toBe('completed');
    expect(statusOf(server)).toEqual([undefined, 200]);
  });

  it('S15 a reply that was cut stays in the conversation, with a mark, and no request follows it', async () => {
    const { agent, pi, prompt, server, told } = await piStage([{ text: 'one two three', silentAfter: 2 }, 'Went on.']);
    const running = prompt('go');
    await whenStreams(pi, 'one');
    agent.cancel('user');
    const report = await running;
    expect(report.partials).toMatchObject([{ value: { text: expect.stringContaining('one') as string } }]);
    await server.waitFor(({ requests }) => requests[0]?.closedEarly === true);
    expect(server.requests).toHaveLength(1);
    await prompt('again');
    expect(told().slice(0, 2)).toEqual(['user text: go', expect.stringMatching(/^assistant text: one.*\[.*cut/s)]);
  });

  it('a stop in the arguments of a call keeps the words before it, and no half of a call', async () => {
    const answer = { text: 'Now I pay.', toolCalls: [{ name: 'pay', input: { note: 'a b c d e f g h' } }] };
    const { agent, pi, prompt, server, told } = await piStage([{ ...answer, silentAfter: 6 }, 'Went on.'], {
      tools: { pay: () => 'paid' },
    });
    const running = prompt('go');
    await whenStreams(pi, 'toolCall');
    agent.cancel('user');
    expect((await running).calls).toEqual([]);
    await prompt('again');
    expect(told()[1]).toMatch(/^assistant text: Now I pay\./);
    expect(statusOf(server)).toEqual([200, 200]);
  });

  it('a stop between two calls lets the first be what it is, and does not start the second', async () => {
    const { agent, prompt, server, results } = await piStage([callsOf('one', 'two'), 'Went on.'], {
      tools: { one: () => 'seen', two: () => 'never' },
      options: {
        toolExecution: 'sequential',
        afterToolCall: () => {
          agent.cancel('user');
          return Promise.resolve(undefined);
        },
      },
    });
    expect(rowsOf(await prompt('go'))).toEqual(['one: completed', 'two: not-started']);
    expect(server.requests).toHaveLength(1);
    await prompt('again');
    expect(results()[0]).toBe('tool result: seen');
  });

  it('a stop before it has begun asks no model', async () => {
    const { agent, pi, server } = await piStage(['no']);
    const report = await agent.runTurn(async (turn) => {
      const own = underTurn(turn, pi, { dialect: openaiChat });
      agent.cancel('user');
      await own.prompt('go');
    });
    expect([report.status, server.requests.length, pi.state.messages]).toEqual(['cancelled', 0, []]);
  });

  it('a stop after its end changes nothing', async () => {
    const { agent, pi, prompt, server } = await piStage(['Fine.', 'And on.']);
    const report = await prompt('go');
    expect(agent.cancel('user').accepted).toBe(false);
    expect([report.status, rolesOf(pi)]).toEqual(['completed', ['user', 'assistant']]);
    expect((await prompt('next')).status).toBe('completed');
    expect(server.requests).toHaveLength(2);
  });

  it("pi's own abort is a stop of the turn", async () => {
    const { started, run } = obedientWork();
    const { pi, prompt, server } = await piStage([callsOf('work'), 'no'], { tools: { work: run } });
    const running = prompt('go');
    await started;
    pi.abort();
    const report = await running;
    expect([report.status, ...rowsOf(report), server.requests.length]).toEqual(['cancelled', 'work: stopped', 1]);
  });

  it('an agent at work for somebody else is left alone', async () => {
    const { started, run } = obedientWork();
    const { pi, prompt } = await piStage([callsOf('work'), 'Went on.'], { tools: { work: run } });
    const own = pi.prompt('go');
    await started;
    expect(await prompt('mine')).toMatchObject({ status: 'failed', error: expect.any(TypeError) as TypeError });
    expect(pi.state.pendingToolCalls.size).toBe(1);
    pi.abort();
    await own;
  });

  it('a failed call of the model fails the turn with its words', async () => {
    const { prompt } = await piStage([{ status: 400, message: 'no such model' }]);
    const message = expect.stringContaining('no such model') as string;
    expect(await prompt('go')).toMatchObject({ status: 'failed', error: { message } });
  });

  it('an abort error of a tool that nobody stopped is its failure, and the loop goes on', async () => {
    const broken = (): never => {
      throw new DOMException('the upload was aborted', 'AbortError');
    };
    const { prompt, told } = await piStage([callsOf('upload'), 'A pity.'], { tools: { upload: broken } });
    const report = await prompt('go');
    expect([report.status, ...rowsOf(report)]).toEqual(['completed', 'upload: failed']);
    expect(told().at(-1)).toContain('the upload was aborted');
  });

  it('whatever a client throws after the stop, the turn is cancelled', async () => {
    const asked = deferred();
    const { agent, prompt } = await piStage(['no'], {
      options: {
        streamFn: (_model, _context, options) => {
          asked.resolve();
          return new Promise((_resolve, reject) => {
            options?.signal?.addEventListener('abort', () => {
              reject(new RangeError('socket hang up'));
            });
          });
        },
      },
    });
    const running = prompt('go');
    await asked.promise;
    agent.cancel('user');
    expect(await running).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
  });

  it('goes on with what is there, as its own continue', async () => {
    const { agent, pi, server } = await piStage(['Fine.']);
    pi.state.messages = [{ role: 'user', content: 'go', timestamp: 0 }];
    const report = await agent.runTurn((turn) => underTurn(turn, pi, { dialect: openaiChat }).continue());
    expect([report.status, rolesOf(pi), server.requests.length]).toEqual(['completed', ['user', 'assistant'], 1]);
  });

  it('a turn of a conversation is refused: the agent keeps its messages itself', async () => {
    const { agent, pi } = await piStage([]);
    const chat = new Conversation(openaiChat);
    const report = await chat.runTurn(agent, 'go', (turn) =>
      underTurn(turn as never, pi, { dialect: openaiChat }).prompt('go'),
    );
    expect(report).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/keeps its messages/) as string },
    });
  });

  it('progress that a tool tells after it was left behind reaches nobody, and breaks nothing', async () => {
    const tell = deferred();
    const told = deferred();
    const { agent, pi, prompt } = await piStage([callsOf('deploy'), 'no'], { tools: { deploy: () => '' } });
    const started = deferred();
    const [tool] = pi.state.tools;
    pi.state.tools = [
      {
        ...tool!,
        execute: async (_id, _input, _signal, onUpdate) => {
          const progress = { content: [{ type: 'text' as const, text: 'half' }], details: {} };
          onUpdate?.(progress);
          started.resolve();
          await tell.promise;
          onUpdate?.(progress);
          told.resolve();
          return progress;
        },
      },
    ];
    const running = prompt('go');
    await started.promise;
    agent.cancel('user');
    const report = await running;
    expect(report.calls).toMatchObject([{ status: 'unknown', partial: 'half' }]);
    tell.resolve();
    await told.promise;
  });

  it('the last step of a hook that never ends is left behind, and the turn ends', async () => {
    const { agent, prompt } = await piStage([callsOf('work'), 'no'], {
      tools: { work: () => 'done' },
      options: {
        afterToolCall: () => {
          agent.cancel('user');
          return new Promise(() => undefined);
        },
      },
    });
    expect(await prompt('go')).toMatchObject({ status: 'cancelled', calls: [{ name: 'work', status: 'completed' }] });
  });
});

it.each(pis)(
  'S37 two hundred of $name at once are stopped, and leave no request, no timer and no listener',
  { timeout: 120_000 },
  async (version) => {
    const piStage = piStageOf(version);
    const check = leakCheck();
    const work = Array.from({ length: 200 }, obedientWork);
    const agents = await Promise.all(
      work.map(async ({ run }) => piStage([callsOf('work'), 'no'], { tools: { work: run } })),
    );
    const running = agents.map(({ prompt }) => prompt('go'));
    await Promise.all(work.map(({ started }) => started));
    for (const { agent } of agents) agent.cancel('user');
    const reports = await Promise.all(running);
    expect(new Set(reports.flatMap(rowsOf))).toEqual(new Set(['work: stopped']));
    expect(agents.every(({ server }) => server.requests.length === 1)).toBe(true);
    await Promise.all(agents.map(async ({ agent, server }) => Promise.all([agent.close(), server.close()])));
    expect(await check.finish({ settleMs: 5_000 })).toEqual([]);
  },
);
