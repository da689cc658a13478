import { describe, expect, it } from 'vitest';
import { guardAgentTools } from '../../../src/adapters/openai-agents/guard-agent-tools.ts';
import { toolContextOf } from '../../../src/guard/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { deaf, errorOf, obedient, stage, tick } from '../../core/interrupt/kit.ts';
import { openaiAgents } from '../../../src/transcript/dialects/openai-agents/index.ts';

interface Details {
  readonly toolCall: { readonly callId: string };
  readonly signal: AbortSignal;
}
interface Tool {
  readonly type: string;
  readonly name: string;
  invoke(context: unknown, input: string, details: Details): Promise<unknown>;
}

function toolOf(name: string, work: (signal: AbortSignal) => unknown): Tool {
  return { type: 'function', name, invoke: async (_context, _input, { signal }) => await work(signal) };
}

/** Calls the one tool in a turn, as the SDK does; gives what the SDK would get. */
async function called(
  work: (signal: AbortSignal) => unknown,
  meanwhile: (call: { stop(): void; say(): void }) => void,
) {
  const { agent, clock } = stage({ graceMs: 50 });
  const got = deferred<unknown>();
  const turn = agent.runTurn(async (own) => {
    const [tool] = guardAgentTools(own, [toolOf('work', work)], { onInterject: 'cancel' }) as Tool[];
    const result = tool?.invoke({}, '', { toolCall: { callId: 'c1' }, signal: own.signal });
    got.resolve(await Promise.resolve(result).catch((error: unknown) => error));
  });
  await tick();
  meanwhile({
    stop: () => agent.cancelCall('c1', 'enough'),
    say: () => agent.interject('wait', { delivery: 'now' }),
  });
  await clock.advance(100);
  return { answer: await got.promise, report: await turn };
}

describe('a call without a result, while the turn goes on, is answered in words', () => {
  it('stopped alone', async () => {
    const { answer, report } = await called((signal) => obedient({ token: toolContextOf(signal)?.token as never }), (call) => { call.stop(); }); // prettier-ignore
    expect(answer).toBe('The call was stopped before it finished. Do not repeat it unless asked.');
    expect(report).toMatchObject({ status: 'completed', calls: [{ id: 'c1', status: 'stopped' }] });
  });

  it('stopped alone, and deaf', async () => {
    const { answer, report } = await called(deaf, (call) => { call.stop(); }); // prettier-ignore
    expect(answer).toBe('The call did not stop in time and may have taken effect. Check before you repeat it.');
    expect(report.calls).toMatchObject([{ status: 'unknown' }]);
  });

  it('stopped by a message', async () => {
    const { answer } = await called((signal) => obedient({ token: toolContextOf(signal)?.token as never }), (call) => { call.say(); }); // prettier-ignore
    expect(answer).toBe('The call was not finished: a newer message of the user came first.');
  });

  it('declined', async () => {
    const { answer, report } = await called(
      (signal) => toolContextOf(signal)?.decline('not today'),
      () => undefined,
    );
    expect(answer).toBe('not today');
    expect(report.calls).toMatchObject([{ status: 'declined', userMessage: 'not today' }]);
  });
});

it('what a tool throws stays what it is, and a stop of the turn is no answer', async () => {
  const failure = new Error('broken');
  const { answer } = await called(() => Promise.reject(failure), () => undefined); // prettier-ignore
  expect(answer).toBe(failure);
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    const [tool] = guardAgentTools(turn, [toolOf('work', () => agent.cancel('user'))], {}) as Tool[];
    const details = { toolCall: { callId: 'c1' }, signal: turn.signal };
    expect(await errorOf(Promise.resolve(tool?.invoke({}, '', details)))).toMatchObject({ name: 'AbortError' });
  });
  expect(report.status).toBe('cancelled');
});

it('guards the local shell, and passes on what has nothing to run', async () => {
  const { agent } = stage();
  const ran: unknown[] = [];
  const shell = { type: 'shell', name: 'sh', shell: { run: (action: unknown) => Promise.resolve(ran.push(action)) } };
  const hosted = { type: 'hosted_tool', name: 'web_search' };
  const report = await agent.runTurn(async (turn) => {
    const tools = guardAgentTools(turn, [shell, hosted], {}) as [typeof shell, typeof hosted];
    expect(tools[1]).toBe(hosted);
    expect(await tools[0].shell.run('ls')).toBe(1);
    agent.cancel('user');
    await errorOf(tools[0].shell.run('rm'));
  });
  expect(ran).toEqual(['ls']);
  expect(report.calls).toMatchObject([
    { name: 'sh', status: 'completed' },
    { name: 'sh', status: 'not-started' },
  ]);
});

it('a local shell that is stopped alone tells so in an output of its own, whether it gave some or not', async () => {
  const { agent, clock } = stage({ graceMs: 10 });
  const said = { stdout: 'half', stderr: '', outcome: { type: 'timeout' } };
  const results = [Promise.resolve({ output: [said], maxOutputLength: 9 }), new Promise(() => undefined)];
  const run = (_action: unknown): unknown => {
    agent.cancelCall(`sh-${String(3 - results.length)}`, 'user');
    return results.shift();
  };
  const running = agent.runTurn(async (turn) => {
    const shell = { type: 'shell', name: 'sh', shell: { run } };
    const [tool] = guardAgentTools(turn, [shell], { dialect: openaiAgents }) as [typeof shell];
    return [await tool.shell.run('ls'), await tool.shell.run('ls')];
  });
  await tick();
  await clock.advance(10);
  const report = await running;
  const told = { stdout: '', outcome: { type: 'exit', exitCode: null } };
  expect(report.unwrap()).toEqual([
    {
      output: [said, { ...told, stderr: expect.stringContaining('returned after it had been told') }],
      maxOutputLength: 9,
    },
    { output: [{ ...told, stderr: expect.stringContaining('did not end when it was told') }] },
  ]);
  expect(report.calls).toMatchObject([{ status: 'completed', afterStop: true }, { status: 'unknown' }]);
});

it('a tool that is stopped alone, and whose error the SDK has made a text of, has not completed', async () => {
  const { agent } = stage();
  const hidden = 'An error occurred while running the tool. Please try again. Error: Error: MCP error -32001';
  const report = await agent.runTurn(async (turn) => {
    const work = (): string => {
      agent.cancelCall('c1', 'user');
      return hidden;
    };
    const [tool] = guardAgentTools(turn, [toolOf('work', work)], { dialect: openaiAgents }) as Tool[];
    const details = { toolCall: { callId: 'c1' }, signal: turn.signal };
    return await tool?.invoke({}, '', details);
  });
  expect(report.unwrap()).toContain('This call was stopped part-way');
  expect(report.calls).toMatchObject([{ status: 'stopped' }]);
});
