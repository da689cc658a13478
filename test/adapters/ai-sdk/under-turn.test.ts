import { describe, expect, it, vi } from 'vitest';
import { underTurn } from '../../../src/adapters/ai-sdk/index.ts';
import type { AIModelCall } from '../../../src/adapters/ai-sdk/middleware.ts';
import { aiSDK, type AISDKMessage } from '../../../src/transcript/dialects/ai-sdk/index.ts';
import { Conversation } from '../../../src/transcript/index.ts';
import { deaf, errorOf, stage } from '../../core/interrupt/kit.ts';

const model = {
  specificationVersion: 'v4',
  provider: 'test',
  modelId: 'one',
  supportedUrls: {},
  doGenerate: vi.fn((_params: AIModelCall) => Promise.resolve('generated')),
  doStream: vi.fn(),
};

it('copies the settings, and changes only what a stop concerns', async () => {
  const { agent } = stage();
  const report = await agent.runTurn((turn) => {
    const settings = { model, tools: { echo: { execute: () => 'x' } }, prompt: 'go', temperature: 0 };
    const own = underTurn(turn, settings);
    expect(own).toMatchObject({ prompt: 'go', temperature: 0, abortSignal: turn.signal });
    expect(own.model).toMatchObject({
      specificationVersion: 'v4',
      provider: 'test',
      modelId: 'one',
      supportedUrls: {},
    });
    expect(own.tools.echo).not.toBe(settings.tools.echo);
    expect(Object.keys(settings)).toEqual(['model', 'tools', 'prompt', 'temperature']);
    return own.model.doGenerate({ prompt: [] });
  });
  expect(report.unwrap()).toBe('generated');
});

it('a setting that is not there is not made', async () => {
  const { agent } = stage();
  await agent.runTurn((turn) => {
    expect(Object.keys(underTurn(turn, { prompt: 'go' }))).toEqual(['prompt', 'abortSignal']);
  });
});

it('the caller’s own signal still counts', async () => {
  const { agent } = stage();
  const own = new AbortController();
  await agent.runTurn((turn) => {
    const { abortSignal } = underTurn(turn, { abortSignal: own.signal });
    own.abort();
    expect([abortSignal.aborted, turn.token.isCancelled]).toEqual([true, false]);
  });
});

it('and so does the turn’s, beside it', async () => {
  const { agent } = stage();
  const report = await agent.runTurn((turn) => {
    const { abortSignal } = underTurn(turn, { abortSignal: new AbortController().signal });
    agent.cancel('user');
    return abortSignal.aborted;
  });
  expect(report).toMatchObject({ status: 'cancelled', completed: { value: true } });
});

it('hands on its graces and limits', async () => {
  const { agent, clock } = stage({ graceMs: 5_000 });
  const silent = { ...model, doGenerate: (_params: AIModelCall) => deaf() };
  const wait = { execute: (_input: object, _options: { abortSignal: AbortSignal }) => deaf() };
  const turn = agent.runTurn(async (own) => {
    const limits = { graceMs: 5, onInterject: 'cancel', model: { idleMs: 20, graceMs: 10 } } as const;
    const settings = underTurn(own, { model: silent, tools: { wait }, abortSignal: own.signal }, limits);
    const waiting = settings.tools.wait.execute({}, { abortSignal: settings.abortSignal });
    const waited = errorOf(Promise.resolve(waiting));
    agent.interject('look here', { delivery: 'now' });
    await clock.advance(5);
    const idle = errorOf(Promise.resolve(settings.model.doGenerate({ prompt: [] })));
    await clock.advance(20);
    await clock.advance(10);
    return [await waited, await idle];
  });
  expect((await turn).unwrap()).toMatchObject([{ name: 'AbortError' }, { name: 'TimeoutError' }]);
  expect((await turn).calls).toMatchObject([{ status: 'unknown', reason: { kind: 'interjection' }, ms: 5 }]);
});

describe('prepareStep', () => {
  it('is called before each step, and another model that it picks is under the turn, with what was told', async () => {
    const { agent } = stage();
    const asked: unknown[][] = [];
    const other = {
      ...model,
      modelId: 'two',
      doGenerate: ({ prompt }: AIModelCall) => Promise.resolve(asked.push(prompt)),
    };
    const prepareStep = vi.fn((_options: object): Promise<{ model?: typeof model; toolChoice?: string } | undefined> => Promise.resolve({ model: other as never, toolChoice: 'none' })); // prettier-ignore
    const report = await agent.runTurn(async (turn) => {
      const own = underTurn(turn, { model, prepareStep });
      agent.interject('use pnpm');
      await own.model.doGenerate({ prompt: ['one'] });
      const step = await own.prepareStep({ stepNumber: 1 });
      expect([step?.toolChoice, step?.model?.modelId]).toEqual(['none', 'two']);
      await step?.model?.doGenerate({ prompt: ['one'] });
      prepareStep.mockResolvedValueOnce(undefined);
      expect(await own.prepareStep({})).toBeUndefined();
      prepareStep.mockClear();
      agent.cancel('user');
      await own.prepareStep({});
    });
    expect(report.status).toBe('cancelled');
    expect(prepareStep).not.toHaveBeenCalled();
    expect(asked).toMatchObject([['one', { role: 'user' }]]);
  });
});

describe('what a hook picks', () => {
  type Hook = (given: object) => Promise<Record<string, unknown> | undefined>;

  it.each(['prepareStep', 'prepareCall'] as const)(
    'is refused if it is a model that is only named, and may be none: %s',
    async (name) => {
      const { agent } = stage();
      const hook = vi.fn<Hook>(() => Promise.resolve({ model: 'cheap' }));
      await agent.runTurn(async (turn) => {
        const hooks = name === 'prepareStep' ? { prepareStep: hook } : { prepareCall: hook };
        const own = Object.values(underTurn(turn, hooks))[0] as Hook;
        await expect(own({})).rejects.toThrow(`${name}: model must be a model object of the AI SDK, got "cheap"`);
        for (const nothing of [null, undefined]) {
          hook.mockResolvedValueOnce({ model: nothing, activeTools: [] });
          expect(await own({})).toEqual({ model: nothing, activeTools: [] });
        }
      });
    },
  );

  it('is under the turn also where it is the hook of the steps', async () => {
    const { agent } = stage();
    const asked = vi.fn((_params: AIModelCall) => Promise.resolve('generated'));
    const prepareStep: Hook = () => Promise.resolve({ model: { ...model, doGenerate: asked } });
    const prepareCall: Hook = (given) => Promise.resolve({ ...given, prepareStep });
    await agent.runTurn(async (turn) => {
      const call = await underTurn(turn, { model, prepareCall }).prepareCall({});
      const picked = await (call?.['prepareStep'] as Hook)({});
      agent.interject('use pnpm');
      await (picked?.['model'] as typeof model).doGenerate({ prompt: ['go'] });
    });
    expect(asked.mock.calls).toMatchObject([[{ prompt: ['go', { role: 'user' }] }]]);
  });

  it('stays what it is if it was given', async () => {
    const { agent } = stage();
    await agent.runTurn(async (turn) => {
      const prepareStep = (): undefined => undefined;
      const prepareCall = <T>(given: T): Promise<T> => Promise.resolve(given);
      const own = underTurn(turn, { model, prepareStep, prepareCall });
      const picked = await own.prepareCall(own);
      expect([picked.model === own.model, picked.prepareStep === own.prepareStep]).toEqual([true, true]);
    });
  });
});

describe('the end of a step', () => {
  const ask = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' };
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} };
  const output = { type: 'text', value: 'paid' };
  const result = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'b', output }] };
  const messages = [{ role: 'assistant', content: [call, ask] }, result];
  const calling = {
    ...model,
    doGenerate: (_params: AIModelCall) => {
      const content = [call, { ...call, toolCallId: 'b' }].map((one) => ({ ...one, input: '{}' }));
      return Promise.resolve({ content });
    },
  };
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];

  it.each(['onStepFinish', 'onStepEnd'] as const)(
    'tells the conversation what of it no model says, and is told to the caller: %s',
    async (name) => {
      const { agent } = stage();
      const own = vi.fn((_step: object) => 'theirs');
      const chat = new Conversation<AISDKMessage>(aiSDK);
      await chat.runTurn(agent, 'go', async (turn) => {
        const settings = underTurn(turn, { model: calling, [name]: own } as Record<typeof name, typeof own> & {
          model: typeof calling;
        });
        await settings.model.doGenerate({ prompt });
        expect(settings[name]({ response: { messages } })).toBe('theirs');
      });
      expect(own).toHaveBeenCalledExactlyOnceWith({ response: { messages } });
      expect(chat.messages.slice(1)).toEqual([
        { role: 'assistant', content: [call, { ...call, toolCallId: 'b' }, ask] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'b', toolName: 'pay', output }] },
      ]);
    },
  );

  it('tells nothing of a turn that was stopped, nor of a step that is none', async () => {
    const { agent } = stage();
    const chat = new Conversation<AISDKMessage>(aiSDK);
    await chat.runTurn(agent, 'go', async (turn) => {
      const settings = underTurn(turn, { model: calling }) as {
        model: typeof calling;
        onStepFinish(step: unknown): void;
      };
      await settings.model.doGenerate({ prompt });
      settings.onStepFinish(undefined);
      agent.cancel('user');
      settings.onStepFinish({ response: { messages } });
    });
    expect(JSON.stringify(chat.messages)).not.toMatch(/approval|paid/);
  });
});

describe('the end', () => {
  const endings = () => ({ onFinish: vi.fn(), onEnd: vi.fn(), onAbort: vi.fn() });

  it('is a finish, once, when nobody stopped it', async () => {
    const { agent } = stage();
    const ends = endings();
    await agent.runTurn((turn) => {
      const own = underTurn(turn, ends);
      own.onEnd({ text: 'done' });
      own.onFinish({ text: 'done' });
      own.onAbort();
    });
    expect(ends.onEnd).toHaveBeenCalledExactlyOnceWith({ text: 'done' });
    expect(ends.onFinish).not.toHaveBeenCalled();
    expect(ends.onAbort).not.toHaveBeenCalled();
  });

  it('is an abort, once, when somebody did', async () => {
    const { agent } = stage();
    const ends = endings();
    await agent.runTurn((turn) => {
      const own = underTurn(turn, ends);
      agent.cancel('user');
      own.onFinish({ text: 'done after all' });
      own.onAbort({ steps: [] });
      own.onAbort({ steps: [] });
    });
    expect(ends.onFinish).not.toHaveBeenCalled();
    expect(ends.onAbort).toHaveBeenCalledExactlyOnceWith({ steps: [] });
  });
});

it('refuses what cannot be put under a turn', async () => {
  const { agent } = stage();
  await agent.runTurn((turn) => {
    expect(() => underTurn(turn, { model: 'openai/gpt-5' })).toThrow('model must be a model object of the AI SDK');
    expect(() => underTurn(turn, 'x' as never)).toThrow('settings must be an object, got "x"');
    expect(() => underTurn(turn, { tools: {} }, { graceMs: -1 })).toThrow('graceMs');
    expect(() => underTurn({} as never, {})).toThrow('turn must be a turn of runTurn()');
  });
});
