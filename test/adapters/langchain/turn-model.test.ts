import { describe, expect, it, vi } from 'vitest';
import { turnModel } from '../../../src/adapters/langchain/index.ts';
import { langchain } from '../../../src/transcript/dialects/langchain/index.ts';
import { Conversation, repair } from '../../../src/transcript/index.ts';
import { stage, tick } from '../../core/interrupt/kit.ts';

const told = { role: 'user', content: '[PRIORITY USER MESSAGE]: use pnpm' };

interface Config {
  readonly signal?: AbortSignal;
}

/** Its streams say the words and then wait for their signal, the last one not. */
function modelOf(...rounds: string[][]) {
  const inputs: unknown[] = [];
  return {
    inputs,
    invoke(input: unknown, _config?: Config): Promise<unknown> {
      inputs.push(input);
      return Promise.resolve(input);
    },
    stream(input: unknown, config?: Config): AsyncIterable<{ content: unknown }> {
      return this._streamIterator(input, config);
    },
    async *_streamIterator(input: unknown, config?: Config): AsyncGenerator<{ content: unknown }> {
      inputs.push(input);
      for (const content of rounds.shift() ?? []) yield { content };
      yield { content: [{ type: 'text', text: '!' }, { type: 'image' }] };
      if (rounds.length === 0) return;
      await new Promise((_resolve, reject) => {
        config?.signal?.addEventListener('abort', () => {
          reject(config.signal?.reason as Error);
        });
      });
    },
  };
}

async function read(chunks: AsyncIterable<{ content: unknown }>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { content } of chunks) if (typeof content === 'string') seen.push(content);
  return seen;
}

describe('a call', () => {
  it('is the model’s, with its input as it was', async () => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) => turnModel(turn, modelOf()).invoke('go'));
    expect(report.unwrap()).toBe('go');
  });

  it('does not start after a stop', async () => {
    const { agent } = stage();
    const invoke = vi.fn();
    const report = await agent.runTurn((turn) => {
      agent.cancel('user');
      return turnModel(turn, { invoke }).invoke('go');
    });
    expect(report.status).toBe('cancelled');
    expect(invoke).not.toHaveBeenCalled();
  });

  it.each([
    ['a text', 'go', [{ role: 'user', content: 'go' }]],
    ['a list', ['go'], ['go']],
    ['a prompt', { toChatMessages: () => ['go'] }, ['go']],
  ])('tells what the user said after %s', async (_kind, input, messages) => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) => {
      agent.interject('use pnpm');
      return turnModel(turn, modelOf()).invoke(input);
    });
    expect(report.unwrap()).toEqual([...messages, told]);
  });
});

it('several prompts at once are told no message: it waits for the next call', async () => {
  const { agent } = stage();
  const asked: unknown[] = [];
  const model = {
    invoke: (input: unknown): Promise<unknown> => Promise.resolve(input),
    bindTools: () => model,
    generate: (prompts: unknown[][]) => {
      asked.push(prompts);
      return Promise.resolve({ generations: prompts.map(() => [{ message: { content: 'hi' } }]) });
    },
    _streamChatModelEvents: () => [],
  };
  const report = await agent.runTurn(async (turn) => {
    agent.interject('use pnpm');
    const own = turnModel(turn, model);
    await own.generate([['one'], ['two']]);
    return own.invoke(['three']);
  });
  expect(asked).toEqual([[['one'], ['two']]]);
  expect(report.unwrap()).toEqual(['three', told]);
});

describe('a stream', () => {
  it('is the model’s', async () => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) => read(turnModel(turn, modelOf(['Hel', 'lo'])).stream('go')));
    expect(report.unwrap()).toEqual(['Hel', 'lo']);
  });

  it('fails when the turn is stopped, and its words are the turn’s partial output', async () => {
    const { agent } = stage();
    const running = agent.runTurn((turn) => read(turnModel(turn, modelOf(['Hel', 'lo'], [])).stream('go')));
    await tick();
    agent.cancel('user');
    expect(await running).toMatchObject({
      status: 'cancelled',
      partials: [{ value: { text: 'Hello!', message: { role: 'assistant', content: 'Hello!' } } }],
    });
  });

  it('that a message cuts goes on in the same stream', async () => {
    const { agent } = stage();
    const model = modelOf(['Hel'], ['Right.']);
    const running = agent.runTurn((turn) => read(turnModel(turn, model).stream(['go'])));
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    expect((await running).unwrap()).toEqual(['Hel', 'Right.']);
    expect(model.inputs[1]).toEqual(['go', { role: 'assistant', content: 'Hel!' }, told]);
  });
});

it('a call that streams behind its invoke is cut by a message, and its words are kept and told, round by round', async () => {
  const { agent } = stage();
  const inputs: unknown[] = [];
  const words = ['one', 'two', 'three'];
  const invoke = async (input: unknown, config?: Config & { callbacks?: unknown }): Promise<unknown> => {
    inputs.push(input);
    const [listener] = config?.callbacks as { handleLLMNewToken(token: string): void }[];
    listener?.handleLLMNewToken(words[inputs.length - 1] ?? '');
    if (inputs.length === 3) return 'answered';
    return await new Promise((_resolve, reject) => {
      config?.signal?.addEventListener('abort', () => {
        reject(config.signal?.reason as Error);
      });
    });
  };
  const running = agent.runTurn((turn) => turnModel(turn, { invoke }).invoke(['go']));
  for (const message of ['use pnpm', 'and node']) {
    await tick();
    agent.interject(message, { delivery: 'now' });
  }
  const report = await running;
  expect(report.unwrap()).toBe('answered');
  expect(report.partials.map(({ value }) => (value as { text: string }).text)).toEqual(['one', 'two']);
  expect(inputs[1]).toEqual(['go', { role: 'assistant', content: 'one' }, told]);
});

it('each round of a stream has words of its own', async () => {
  const { agent } = stage();
  const running = agent.runTurn((turn) => read(turnModel(turn, modelOf(['a'], ['b'], ['c'])).stream('go')));
  for (const message of ['first', 'second']) {
    await tick();
    agent.interject(message, { delivery: 'now' });
  }
  expect((await running).partials.map(({ value }) => (value as { text: string }).text)).toEqual(['a!', 'b!']);
});

it('hears the signal of its config as well, for this call alone', async () => {
  const { agent } = stage();
  const theirs = new AbortController();
  const heard: (boolean | undefined)[] = [];
  const invoke = (_input: unknown, config?: Config): Promise<void> => {
    heard.push(config?.signal?.aborted);
    theirs.abort(new Error('theirs'));
    heard.push(config?.signal?.aborted);
    return Promise.resolve();
  };
  const report = await agent.runTurn(async (turn) => {
    const config = { signal: theirs.signal };
    const source = turnModel(turn, modelOf(['one'], ['never']));
    const chunks = source._streamIterator('go', config);
    const reading = read(chunks).catch((error: unknown) => error);
    await tick();
    await turnModel(turn, { invoke }).invoke('go', config);
    return await reading;
  });
  expect(heard).toEqual([false, true]);
  expect(report).toMatchObject({ status: 'completed', value: expect.any(Error) as unknown });
});

it('refuses what is no turn, no model, no limit', async () => {
  const { agent } = stage();
  expect(() => turnModel({} as never, modelOf())).toThrow('turn must be a turn of runTurn()');
  await agent.runTurn((turn) => {
    expect(() => turnModel(turn, {} as never)).toThrow('model must be a runnable of LangChain');
    expect(() => turnModel(turn, modelOf(), { idleMs: -1 })).toThrow('idleMs');
  });
});

describe('under a turn of a conversation', () => {
  const chatOf = () => new Conversation<object>(langchain);
  const pay = { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'pay', args: {} }] };
  const result = { role: 'tool', tool_call_id: 'c1', content: 'as the graph said it' };
  const answering = (...answers: object[]) => ({
    invoke: (_input: unknown, _config?: Config) => Promise.resolve(answers.shift()),
  });

  it('what is answered is taken, with results as the graph told them', async () => {
    const { agent } = stage();
    const chat = chatOf();
    const done = { role: 'assistant', content: 'Done.' };
    await chat.runTurn(agent, 'go', async (turn) => {
      const model = turnModel(turn, answering(pay, done));
      await model.invoke(['go']);
      agent.interject('use pnpm');
      await model.invoke(['go', pay, result]);
    });
    expect(chat.messages.slice(1)).toEqual([pay, result, told, done]);
    expect(chat.messages[2]).toBe(result);
  });

  it('calls that share an id are told apart before the graph sees them, and found by it afterwards', async () => {
    const { agent } = stage();
    const chat = chatOf();
    const thread: unknown[] = ['go'];
    await chat.runTurn(agent, 'go', async (turn) => {
      const model = turnModel(turn, answering(pay, pay));
      for (const value of ['paid once', 'paid twice']) {
        const answer = (await model.invoke(thread)) as typeof pay;
        thread.push(answer);
        const [call] = answer.tool_calls;
        await turn.tool({ id: call?.id ?? '', name: 'pay' }, () => value);
      }
    });
    const ids = (thread.slice(1) as (typeof pay)[]).map(({ tool_calls: [call] }) => call?.id);
    expect(ids).toEqual(['c1', 'c1_copy2']);
    const { messages } = repair(thread as object[], { dialect: langchain, outcomeOf: chat.outcomeOf });
    const contents = (all: readonly unknown[]) => all.map((one) => (one as { content?: unknown }).content);
    expect(contents(messages).slice(1)).toEqual(['', 'paid once', '', 'paid twice']);
    expect(contents(chat.messages)).toEqual(['go', ...contents(messages).slice(1)]);
    expect(chat.outcomeOf({ id: 'nobody' })).toBeUndefined();
  });

  it.each(['cut', 'left'] as const)('the words of a stream that was %s are kept', async (how) => {
    const { agent } = stage();
    const chat = chatOf();
    await chat.runTurn(agent, 'go', async (turn) => {
      for await (const { content } of turnModel(turn, modelOf(['Hel', 'lo'], [])).stream('go')) {
        if (content !== 'lo') continue;
        if (how === 'left') break;
        agent.cancel('user');
      }
    });
    expect(JSON.stringify(chat.messages[1])).toContain('Hello');
    expect(chat.messages).toHaveLength(2);
  });

  it('an object that came as a call waits for nobody', async () => {
    const { agent } = stage();
    const chat = chatOf();
    await chat.runTurn(agent, 'go', async (turn) => {
      await turnModel(turn, answering(pay)).invoke(['go'], { ls_structured_output_format: {} } as Config);
    });
    expect(chat.messages.slice(1)).toEqual([pay, { role: 'tool', tool_call_id: 'c1', content: 'Received.' }]);
  });

  it('what is asked beside it is not of it', async () => {
    const { agent } = stage();
    const chat = chatOf();
    await chat.runTurn(agent, 'go', async (turn) => {
      await turnModel(turn, answering(pay), { aside: true }).invoke(['go']);
    });
    expect(chat.messages).toHaveLength(1);
  });
});

it('a call that LangChain could not read is answered: no loop runs it', async () => {
  const { agent } = stage();
  const chat = new Conversation(langchain);
  const invalid_tool_calls = [{ id: 'a', name: 'pay', args: '{"x', type: 'invalid_tool_call' }];
  const answer = { role: 'assistant', content: '', tool_calls: [], invalid_tool_calls };
  const report = await chat.runTurn(agent, 'Pay.', (turn) =>
    turnModel(turn, { invoke: (_input: unknown) => Promise.resolve(answer) }).invoke(chat.messages),
  );
  expect(report.status).toBe('completed');
  expect(langchain.check(chat.messages)).toEqual([]);
  expect(chat.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'a', status: 'error' });
});
