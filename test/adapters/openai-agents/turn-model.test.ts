import { describe, expect, it, vi } from 'vitest';
import { turnModel, turnProvider } from '../../../src/adapters/openai-agents/index.ts';
import type { AgentsRequest } from '../../../src/adapters/openai-agents/turn-model.ts';
import { stage, tick } from '../../core/interrupt/kit.ts';

const told = { type: 'message', role: 'user', content: '[PRIORITY USER MESSAGE]: use pnpm' };

/** A model with private state; its streams say the words and then wait for their signal, the last one not. */
class FakeModel {
  readonly supportsPromptModelSelection = true;
  readonly requests: AgentsRequest[] = [];
  readonly #rounds: string[][];
  #advised = 0;

  constructor(...rounds: string[][]) {
    this.#rounds = rounds;
  }

  getRetryAdvice(): number {
    return ++this.#advised;
  }

  getResponse(request: AgentsRequest): Promise<unknown> {
    this.requests.push(request);
    return Promise.resolve(request.input);
  }

  async *getStreamedResponse(request: AgentsRequest): AsyncGenerator<{ type: string; delta?: string }> {
    this.requests.push(request);
    const words = this.#rounds.shift() ?? [];
    yield { type: 'response_started' };
    for (const delta of words) yield { type: 'output_text_delta', delta };
    if (this.#rounds.length === 0) {
      yield { type: 'response_done' };
      return;
    }
    await new Promise((_resolve, reject) => {
      request.signal?.addEventListener('abort', () => {
        reject(request.signal?.reason as Error);
      });
    });
  }
}

async function read(events: AsyncIterable<{ type: string; delta?: string }>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { type, delta } of events) seen.push(delta ?? type);
  return seen;
}

it('everything else about a model is its own', async () => {
  const { agent } = stage();
  await agent.runTurn((turn) => {
    const model = new FakeModel();
    const own = turnModel(turn, model);
    expect(own).toBeInstanceOf(FakeModel);
    expect([own.supportsPromptModelSelection, own.getRetryAdvice(), model.getRetryAdvice()]).toEqual([true, 1, 2]);
  });
});

it('a stream is done for its reader once the model’s call has ended: no message can cut it then', async () => {
  const { agent } = stage();
  const model = {
    opened: 0,
    getResponse: vi.fn(),
    async *getStreamedResponse(_request: AgentsRequest) {
      model.opened++;
      yield { type: 'response_started' };
      yield { type: 'response_done' };
      await new Promise(setImmediate);
    },
  };
  const seen: string[] = [];
  const report = await agent.runTurn(async (turn) => {
    for await (const { type } of turnModel(turn, model).getStreamedResponse({ input: 'go' })) {
      seen.push(type);
      if (type === 'response_done' && model.opened === 1) agent.interject('use pnpm', { delivery: 'now' });
    }
  });
  expect([report.status, model.opened, seen]).toEqual(['completed', 1, ['response_started', 'response_done']]);
  expect(report.undelivered).toHaveLength(1);
});

describe('a whole answer', () => {
  it('is the model’s, under a signal of the turn, with its input as it was', async () => {
    const { agent } = stage();
    const model = new FakeModel();
    const report = await agent.runTurn((turn) => turnModel(turn, model).getResponse({ input: 'go' }));
    expect(report.unwrap()).toBe('go');
    expect(model.requests[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  it('is not asked for after a stop', async () => {
    const { agent } = stage();
    const getResponse = vi.fn();
    const report = await agent.runTurn((turn) => {
      agent.cancel('user');
      return turnModel(turn, { getResponse, getStreamedResponse: vi.fn() }).getResponse({ input: 'go' });
    });
    expect(report.status).toBe('cancelled');
    expect(getResponse).not.toHaveBeenCalled();
  });

  it('is asked for with what the user said meanwhile, from then on', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const model = turnModel(turn, new FakeModel());
      agent.interject('use pnpm');
      return [await model.getResponse({ input: 'go' }), await model.getResponse({ input: ['go', 'answer'] })];
    });
    expect(report.unwrap()).toEqual([
      [{ type: 'message', role: 'user', content: 'go' }, told],
      ['go', told, 'answer'],
    ]);
  });
});

describe('a stream', () => {
  it('gives out the model’s events', async () => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) =>
      read(turnModel(turn, new FakeModel(['Hel', 'lo'])).getStreamedResponse({ input: 'go' })),
    );
    expect(report.unwrap()).toEqual(['response_started', 'Hel', 'lo', 'response_done']);
  });

  it('fails when the turn is stopped, and its words are the turn’s partial output', async () => {
    const { agent } = stage();
    const running = agent.runTurn((turn) =>
      read(turnModel(turn, new FakeModel(['Hel', 'lo'], [])).getStreamedResponse({ input: 'go' })),
    );
    await tick();
    agent.cancel('user');
    expect(await running).toMatchObject({
      status: 'cancelled',
      partials: [{ value: { text: 'Hello', message: { role: 'assistant', status: 'incomplete' } } }],
    });
  });

  it('that a message cuts goes on as one response', async () => {
    const { agent } = stage();
    const model = new FakeModel(['Hel'], ['lo.']);
    const running = agent.runTurn((turn) => read(turnModel(turn, model).getStreamedResponse({ input: 'go' })));
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    expect((await running).unwrap()).toEqual(['response_started', 'Hel', 'lo.', 'response_done']);
    expect(model.requests[1]?.input).toMatchObject([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Hel' }] },
      told,
    ]);
  });
});

it('a provider’s models are under the turn, and what is none is passed on', async () => {
  const { agent } = stage();
  const model = new FakeModel();
  const names: unknown[] = [];
  const getModel = (name?: string): FakeModel | string => {
    names.push(name);
    return name === 'none' ? 'no model' : model;
  };
  const report = await agent.runTurn(async (turn) => {
    const provider = turnProvider(turn, { getModel });
    expect(await provider.getModel('none')).toBe('no model');
    const found = (await provider.getModel()) as FakeModel;
    agent.cancel('user');
    return await found.getResponse({ input: 'go' });
  });
  expect(report.status).toBe('cancelled');
  expect(model.requests).toEqual([]);
  expect(names).toEqual(['none', undefined]);
});

it('refuses what is no turn, no model, no provider', async () => {
  const { agent } = stage();
  expect(() => turnModel({} as never, new FakeModel())).toThrow('turn must be a turn of runTurn()');
  await agent.runTurn((turn) => {
    expect(() => turnModel(turn, {} as never)).toThrow('model must be a model of OpenAI Agents');
    expect(() => turnModel(turn, new FakeModel(), { idleMs: -1 })).toThrow('idleMs');
    expect(() => turnProvider(turn, {} as never)).toThrow('provider.getModel must be a function');
  });
});

it('hears the signal of the run as well, for this call alone', async () => {
  const { agent } = stage();
  const theirs = new AbortController();
  const heard: (boolean | undefined)[] = [];
  const model = new FakeModel(['one'], ['never']);
  const whole = {
    getResponse({ signal }: AgentsRequest): Promise<string> {
      heard.push(signal?.aborted);
      theirs.abort(new Error('theirs'));
      heard.push(signal?.aborted);
      return Promise.resolve('whole');
    },
    getStreamedResponse: () => read([] as never),
  };
  const report = await agent.runTurn(async (turn) => {
    const request = { input: 'go', signal: theirs.signal };
    const reading = read(turnModel(turn, model).getStreamedResponse(request)).catch((error: unknown) => error);
    await tick();
    await turnModel(turn, whole as never as FakeModel).getResponse(request);
    return await reading;
  });
  expect(heard).toEqual([false, true]);
  expect(report).toMatchObject({ status: 'completed', value: expect.any(Error) as unknown });
});

it('each round’s words are its own', async () => {
  const { agent } = stage();
  const model = new FakeModel(['one'], ['two'], ['three']);
  const turn = agent.runTurn((own) => read(turnModel(own, model).getStreamedResponse({ input: 'go' })));
  for (const message of ['first', 'second']) {
    await tick();
    agent.interject(message, { delivery: 'now' });
  }
  expect((await turn).partials.map(({ value }) => (value as { text: string }).text)).toEqual(['one', 'two']);
});
