/** `desist/pi` with the real loop of pi: its questions, the ids of its calls, and what a person says meanwhile. */
import { describe, expect, it } from 'vitest';

import { deferred } from '../../src/testing/fakes.ts';
import { waitUntil } from '../../src/testing/waiting.ts';
import { callsOf, rowsOf } from './support/frameworks/loop-stage.ts';
import { pis } from './support/frameworks/pi.ts';
import { obedientWork, piStageOf, statusOf, unanswered, whenStreams } from './support/frameworks/pi-stage.ts';

describe.each(pis)('$name: a question of pi under a turn', (version) => {
  const piStage = piStageOf(version);

  it('that nobody answers ends with the stop, starts nothing, and leaves the agent free', async () => {
    const { asked, beforeToolCall } = unanswered();
    const ran: string[] = [];
    const { agent, pi, prompt, results } = await piStage([callsOf('rm', 'rm'), 'Went on.'], {
      tools: { rm: () => ran.push('rm') },
      options: { beforeToolCall },
    });
    const running = prompt('go');
    await asked;
    agent.cancel('user');
    expect(rowsOf(await running)).toEqual(['rm: not-started', 'rm: not-started']);
    expect([pi.state.isStreaming, ran]).toEqual([false, []]);
    expect((await prompt('next')).status).toBe('completed');
    expect(results()[0]).toContain('was not started');
  });

  it('is answered after the stop in vain', async () => {
    const asked = deferred();
    const answer = deferred<undefined>();
    const ran: string[] = [];
    const beforeToolCall = (): Promise<undefined> => {
      asked.resolve();
      return answer.promise;
    };
    const { agent, prompt } = await piStage([callsOf('rm'), 'no'], {
      tools: { rm: () => ran.push('rm') },
      options: { beforeToolCall },
    });
    const running = prompt('go');
    await asked.promise;
    agent.cancel('user');
    answer.resolve(undefined);
    expect(rowsOf(await running)).toEqual(['rm: not-started']);
    expect(ran).toEqual([]);
  });

  it.each([
    ['the same reply', [callsOf('lost', 'wait'), 'Went on.']],
    ['a later reply', [callsOf('lost'), callsOf('wait'), 'Went on.']],
  ])('a call that pi has answered itself keeps that answer, where a stop comes in %s', async (_where, script) => {
    const { started, run } = obedientWork();
    const { agent, prompt, results } = await piStage(script, { tools: { wait: run } });
    const running = prompt('go');
    await started;
    agent.cancel('user');
    expect(rowsOf(await running)).toEqual(['wait: stopped']);
    await prompt('next');
    expect(results()).toEqual([expect.stringContaining('lost not found'), expect.stringContaining('stopped')]);
  });

  it('with a no of the person declines the call, and the model has their words', async () => {
    const { prompt, told } = await piStage([callsOf('rm'), 'As you like.'], {
      tools: { rm: () => 'removed' },
      options: { beforeToolCall: () => Promise.resolve({ block: true, reason: 'not on Fridays' }) },
    });
    const report = await prompt('go');
    expect([report.status, ...rowsOf(report)]).toEqual(['completed', 'rm: declined']);
    expect(told().at(-1)).toContain('not on Fridays');
  });

  it('that cannot be asked fails the call with its error', async () => {
    const { prompt, told } = await piStage([callsOf('rm'), 'A pity.'], {
      tools: { rm: () => 'removed' },
      options: { beforeToolCall: () => Promise.reject(new Error('no terminal to ask at')) },
    });
    expect(rowsOf(await prompt('go'))).toEqual(['rm: failed']);
    expect(told().at(-1)).toContain('no terminal to ask at');
  });

  it('is asked one after the other, and each call has its own answer', async () => {
    const open: string[] = [];
    const answers = new Map<string, (value: { block: boolean } | undefined) => void>();
    const { prompt } = await piStage([callsOf('one', 'two'), 'Done.'], {
      tools: { one: () => 'first', two: () => 'second' },
      options: {
        beforeToolCall: ({ toolCall: { name } }) => {
          open.push(name);
          return new Promise((resolve) => answers.set(name, resolve));
        },
      },
    });
    const running = prompt('go');
    await waitUntil('a question', () => open.length === 1, 10_000);
    answers.get('one')?.({ block: true });
    await waitUntil('the next one', () => open.length === 2, 10_000);
    answers.get('two')?.(undefined);
    expect(rowsOf(await running)).toEqual(['one: declined', 'two: completed']);
  });
});

describe.each(pis)('$name: calls of pi that share an id', (version) => {
  const piStage = piStageOf(version);

  const named = (...ids: readonly string[]) => ({
    toolCalls: ids.map((id, at) => ({ id, name: 'read', input: { at } })),
  });

  // The SDK's client of Chat Completions makes one call of two that share an id in one reply, before anybody sees them.
  it.each([
    ['in one reply', [named('call_0', 'call_0'), 'Done.', 'On.'], 'anthropic-messages' as const],
    ['in two replies', [named('call_0'), named('call_0'), 'Done.', 'On.'], undefined],
    ['because they have none', [named('', ''), 'Done.', 'On.'], undefined],
  ])('%s have a row and a result each, and the next request is taken', async (_where, script, api) => {
    let calls = 0;
    const { pi, prompt, server } = await piStage(script, { tools: { read: () => `result ${String(++calls)}` }, api });
    const report = await prompt('go');
    expect(report.calls.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(new Set(report.calls.map(({ id }) => id)).size).toBe(2);
    const results = pi.state.messages.flatMap((message) => (message.role === 'toolResult' ? [message] : []));
    expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual(['result 1', 'result 2']);
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual(report.calls.map(({ id }) => id));
    await prompt('again');
    expect(statusOf(server)).toEqual(script.map(() => 200));
  });
});

describe.each(pis)('$name: a message to pi under a turn', (version) => {
  const piStage = piStageOf(version);

  it.each(['next-model-call', 'now'] as const)(
    'S21 with delivery %s is told once, in the same turn',
    async (delivery) => {
      const { agent, pi, prompt, server, told } = await piStage([
        { text: 'one two three', ...(delivery === 'now' ? { silentAfter: 2 } : { chunkMs: 20 }) },
        'With pnpm.',
      ]);
      const running = prompt('go');
      await whenStreams(pi, 'one');
      agent.interject('use pnpm', { delivery });
      const report = await running;
      expect([report.status, report.undelivered, server.requests.length]).toEqual(['completed', [], 2]);
      expect(told().filter((line) => line.includes('use pnpm'))).toHaveLength(1);
      expect(told()[1]).toMatch(/^assistant text: one/);
    },
  );

  it('S21 with another one is told with it, before the next call', async () => {
    const { agent, prompt, server, told } = await piStage([callsOf('look'), 'Fine.', 'too many'], {
      tools: {
        look: () => {
          agent.interject('use pnpm');
          agent.interject('and be quick');
          return 'seen';
        },
      },
    });
    await prompt('go');
    expect(told().at(-1)).toMatch(/use pnpm.*and be quick/s);
    expect(server.requests).toHaveLength(2);
  });

  it('S22 waits behind a stop, and comes back', async () => {
    const { started, run } = obedientWork();
    const { agent, prompt } = await piStage([callsOf('work'), 'no'], { tools: { work: run } });
    const running = prompt('go');
    await started;
    agent.interject('use pnpm');
    agent.cancel('user');
    expect((await running).undelivered.map(({ message }) => message)).toEqual(['use pnpm']);
  });
});
