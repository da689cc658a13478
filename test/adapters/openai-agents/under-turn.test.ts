import { expect, it } from 'vitest';
import { underTurn } from '../../../src/adapters/openai-agents/index.ts';
import { stage } from '../../core/interrupt/kit.ts';

interface Tool {
  readonly name: string;
  readonly invoke?: (context: unknown, input: string) => Promise<string>;
}

class FakeAgent {
  readonly name: string;
  readonly tools: Tool[];
  readonly model: unknown;
  handoffs: unknown[] = [];

  constructor(settings: { name: string; tools?: Tool[]; model?: unknown }) {
    this.name = settings.name;
    this.tools = settings.tools ?? [];
    this.model = settings.model;
  }

  clone(settings: Partial<FakeAgent>): FakeAgent {
    return new FakeAgent({ ...this, ...settings });
  }
}

const echo: Tool = { name: 'echo', invoke: (_context, input) => Promise.resolve(input) };
const hosted: Tool = { name: 'hosted' };

it('copies the agent, with its tools in the ledger and its model under the turn', async () => {
  const { agent } = stage();
  const model = { getResponse: () => Promise.resolve('hi'), getStreamedResponse: () => undefined };
  const original = new FakeAgent({ name: 'one', tools: [echo, hosted], model });
  const report = await agent.runTurn(async (turn) => {
    const copy = underTurn(turn, original);
    expect(copy).toBeInstanceOf(FakeAgent);
    expect(copy).not.toBe(original);
    expect([copy.name, copy.tools[1]]).toEqual(['one', hosted]);
    await (copy.model as { getResponse(request: unknown): Promise<unknown> }).getResponse({ input: 'x' });
    return await copy.tools[0]?.invoke?.({}, 'hello');
  });
  expect(report.unwrap()).toBe('hello');
  expect(report.calls).toMatchObject([{ name: 'echo', status: 'completed' }]);
  expect(original).toMatchObject({ tools: [echo, hosted], model });
});

it('copies the agents it hands over to, once each, in a circle too', async () => {
  const { agent } = stage();
  const a = new FakeAgent({ name: 'a', tools: [echo] });
  const b = new FakeAgent({ name: 'b', tools: [echo], model: 'named' });
  const made = { agentName: 'c', onInvokeHandoff: () => undefined };
  a.handoffs = [b, made];
  b.handoffs = [a];
  await agent.runTurn((turn) => {
    const copy = underTurn(turn, a);
    const [next, other] = copy.handoffs as [FakeAgent, unknown];
    expect([next.name, next.model, next.handoffs[0], other]).toEqual(['b', 'named', copy, made]);
    expect(next.tools[0]).not.toBe(echo);
  });
  expect([a.handoffs[0], b.handoffs[0]]).toEqual([b, a]);
});

it('refuses what is no agent, no turn, no grace', async () => {
  const { agent } = stage();
  const worker = new FakeAgent({ name: 'a' });
  expect(() => underTurn({} as never, worker)).toThrow('turn must be a turn of runTurn()');
  await agent.runTurn((turn) => {
    expect(() => underTurn(turn, {} as never)).toThrow('agent must be an agent of OpenAI Agents');
    expect(() => underTurn(turn, worker, { graceMs: -1 })).toThrow('graceMs');
  });
});
