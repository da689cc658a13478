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

it('leads a handoff object to a copy, and to none after a stop', async () => {
  const { agent } = stage();
  class Handoff {
    readonly toolName = 'transfer_to_b';
    readonly agent: FakeAgent;
    constructor(target: FakeAgent) {
      this.agent = target;
    }
    async onInvokeHandoff(_context: unknown, input: string): Promise<FakeAgent> {
      asked.push(input);
      return Promise.resolve(this.agent);
    }
  }
  const asked: string[] = [];
  const b = new FakeAgent({ name: 'b', tools: [echo] });
  const a = new FakeAgent({ name: 'a' });
  const handoff = new Handoff(b);
  a.handoffs = [handoff];
  const report = await agent.runTurn(async (turn) => {
    const [own] = underTurn(turn, a).handoffs as [Handoff];
    expect(own).toBeInstanceOf(Handoff);
    expect([own.toolName, own.agent.name]).toEqual(['transfer_to_b', 'b']);
    expect(own.agent).not.toBe(b);
    expect(await own.onInvokeHandoff({}, 'first')).toBe(own.agent);
    agent.cancel('user');
    await own.onInvokeHandoff({}, 'second');
  });
  expect(report.status).toBe('cancelled');
  expect([asked, handoff.agent]).toEqual([['first'], b]);
});

it('a stop while a handoff is on its way leads nowhere', async () => {
  const { agent } = stage();
  const b = new FakeAgent({ name: 'b' });
  const a = new FakeAgent({ name: 'a' });
  const onInvokeHandoff = () => {
    agent.cancel('user');
    return b;
  };
  a.handoffs = [{ agent: b, onInvokeHandoff }];
  const report = await agent.runTurn(async (turn) => {
    const [own] = underTurn(turn, a).handoffs as [{ onInvokeHandoff(): Promise<unknown> }];
    await own.onInvokeHandoff();
    return 'handed over';
  });
  expect(report).toMatchObject({ status: 'cancelled' });
  expect(report).not.toHaveProperty('completed');
});

it('guards the tools of MCP servers when the agent lists them', async () => {
  const { agent } = stage();
  class ServedAgent extends FakeAgent {
    override clone(settings: Partial<FakeAgent>): ServedAgent {
      return new ServedAgent({ ...this, ...settings });
    }
    getMcpTools(prefix: string): Promise<Tool[]> {
      return Promise.resolve([{ ...echo, name: `${prefix}${this.name}` }]);
    }
  }
  const original = new ServedAgent({ name: 'one' });
  const report = await agent.runTurn(async (turn) => {
    const [tool] = await underTurn(turn, original).getMcpTools('mcp-');
    return await tool?.invoke?.({}, 'hello');
  });
  expect(report.unwrap()).toBe('hello');
  expect(report.calls).toMatchObject([{ name: 'mcp-one', status: 'completed' }]);
  expect(Object.hasOwn(original, 'getMcpTools')).toBe(false);
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
