import { describe, expect, it } from 'vitest';

import { underTurn } from '../../../src/adapters/pi/index.ts';
import { Conversation } from '../../../src/transcript/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { stage } from '../../core/interrupt/kit.ts';
import { answering, callPart, eventsOf, FakePi, replyOf, textPart } from './support/fake-pi.ts';

const options = { dialect: openaiChat };
const hi = replyOf(textPart('hi'));
const tool = { name: 'work', execute: () => ({ content: [textPart('done')] }) };

describe('an agent under a turn', () => {
  it('runs its loop, its calls are in the ledger, and it is as it was', async () => {
    const { agent } = stage();
    const pi = new FakePi(answering(replyOf(callPart('x'))), [tool]);
    const before = { streamFn: pi.streamFn, tools: [...pi.state.tools], beforeToolCall: () => undefined };
    pi.beforeToolCall = before.beforeToolCall;
    const report = await agent.runTurn((turn) => underTurn(turn, pi, options).prompt('go'));
    expect(report.calls).toMatchObject([{ id: 'x', name: 'work', status: 'completed' }]);
    expect(pi.state.messages).toMatchObject([
      { role: 'user', content: 'go' },
      { role: 'assistant' },
      { role: 'toolResult' },
    ]);
    expect([pi.streamFn, pi.beforeToolCall, pi.state.tools]).toEqual([
      before.streamFn,
      before.beforeToolCall,
      before.tools,
    ]);
    expect(pi.listeners.size).toBe(0);
  });

  it('is taken with the name that its stream has since version 1', async () => {
    const { agent } = stage();
    const pi = new FakePi(answering(replyOf(callPart('x'))), [tool]);
    const before = pi.streamFn;
    const nameOf = (name: string | symbol) => (name === 'streamFunction' ? 'streamFn' : name);
    const renamed = new Proxy(pi, {
      get: (target, name): unknown => {
        const value: unknown = name === 'streamFn' ? undefined : Reflect.get(target, nameOf(name), target);
        return typeof value === 'function' && name !== 'streamFunction' ? value.bind(target) : value;
      },
      set: (target, name, value) => Reflect.set(target, nameOf(name), value, target),
    });
    const report = await agent.runTurn((turn) => underTurn(turn, renamed, options).prompt('go'));
    expect(report.calls).toMatchObject([{ id: 'x', status: 'completed' }]);
    expect(pi.streamFn).toBe(before);
  });

  it('goes on with what is there', async () => {
    const { agent } = stage();
    const pi = new FakePi(answering(hi));
    await agent.runTurn((turn) => underTurn(turn, pi, options).continue());
    expect(pi.state.messages).toEqual([hi]);
  });

  it('keeps what somebody puts in the place of its own meanwhile', async () => {
    const { agent } = stage();
    const pi = new FakePi(answering(replyOf(callPart('x'))));
    const other = { name: 'other', execute: () => undefined };
    const [streamFn, beforeToolCall] = [() => undefined, () => undefined];
    const work = {
      ...tool,
      execute: () => {
        pi.state.tools = [...pi.state.tools, other];
        Object.assign(pi, { streamFn, beforeToolCall });
        return tool.execute();
      },
    };
    pi.state.tools = [work];
    pi.beforeToolCall = () => undefined;
    await agent.runTurn((turn) => underTurn(turn, pi, options).prompt('go'));
    expect([pi.state.tools, pi.streamFn, pi.beforeToolCall]).toEqual([[work, other], streamFn, beforeToolCall]);
  });

  it('stopped in its reply keeps what had been said', async () => {
    const { agent } = stage();
    const pi = new FakePi(() =>
      eventsOf({ type: 'text_delta', partial: replyOf(textPart('one')) }, { type: 'done', message: hi }),
    );
    pi.subscribe(({ type }) => {
      if (type === 'message_update') agent.cancel('user');
    });
    const report = await agent.runTurn((turn) => underTurn(turn, pi, options).prompt('go'));
    expect(report.status).toBe('cancelled');
    expect(pi.state.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', stopReason: 'stop', content: [{ text: expect.stringMatching(/^one.*cut/s) as string }] },
    ]);
  });

  it.each(['agent_start', 'message_update'])(
    'that is stopped by its own button at %s is a cancelled turn',
    async (at) => {
      const { agent } = stage();
      const pi = new FakePi(() => eventsOf({ type: 'start', partial: replyOf() }, { type: 'done', message: hi }));
      pi.subscribe(({ type }) => {
        if (type === at) pi.abort();
      });
      const report = await agent.runTurn((turn) => underTurn(turn, pi, options).prompt('go'));
      expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'unknown' } });
      expect(pi.state.messages).toMatchObject([{ role: 'user' }]);
    },
  );

  it('is told what the user says, in one message', async () => {
    const { agent } = stage();
    const pi = new FakePi(answering(hi));
    await agent.runTurn((turn) => {
      agent.interject('use pnpm');
      agent.interject('and be quick');
      return underTurn(turn, pi, options).prompt('go');
    });
    const content = '[PRIORITY USER MESSAGE]: use pnpm\n\n[PRIORITY USER MESSAGE]: and be quick';
    expect(pi.steered).toMatchObject([{ role: 'user', content }]);
  });

  it('is not told it behind a reply that failed', async () => {
    const { agent } = stage();
    const pi = new FakePi(() => {
      agent.interject('use pnpm');
      return Promise.reject(new Error('529'));
    });
    const report = await agent.runTurn((turn) => underTurn(turn, pi, options).prompt('go'));
    expect([report.status, pi.steered]).toEqual(['failed', []]);
    expect(report.undelivered.map(({ message }) => message)).toEqual(['use pnpm']);
  });

  it.each([
    ['the error itself', () => Promise.reject(new RangeError('529')), { name: 'RangeError', message: '529' }],
    ['what was thrown, as words', () => Promise.reject('529'), { message: '529' }],
  ])('whose model fails fails the turn with %s', async (_what, streamFn, error) => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) => underTurn(turn, new FakePi(streamFn), options).prompt('go'));
    expect(report).toMatchObject({ status: 'failed', error });
  });

  it('that fails by itself fails the turn with its words', async () => {
    const { agent } = stage();
    const pi = new FakePi(answering(hi));
    pi.subscribe(({ type }) => {
      if (type === 'turn_end') pi.state.errorMessage = 'a listener threw';
    });
    const report = await agent.runTurn((turn) => underTurn(turn, pi, options).prompt('go'));
    expect(report).toMatchObject({ status: 'failed', error: { message: 'a listener threw' } });
  });

  it('that is at work already is left alone', async () => {
    const { agent } = stage();
    const pi = new FakePi(answering(hi));
    pi.state.isStreaming = true;
    const { streamFn } = pi;
    const report = await agent.runTurn((turn) => underTurn(turn, pi, options).prompt('go'));
    expect(report).toMatchObject({ status: 'failed', error: { name: 'TypeError' } });
    expect([pi.streamFn, pi.state.messages]).toEqual([streamFn, []]);
  });
});

it('refuses what is no turn, no agent, no dialect, no option', async () => {
  const { agent } = stage();
  const pi = new FakePi(answering(hi));
  expect(() => underTurn({} as never, pi, options)).toThrow('turn must be a turn of runTurn()');
  await agent.runTurn((turn) => {
    expect(() => underTurn(turn, {} as never, options)).toThrow(
      'agent must be an agent of pi, got an instance of Object',
    );
    expect(() => underTurn(turn, null as never, options)).toThrow('agent must be an agent of pi, got null');
    expect(() => underTurn(turn, pi, null as never)).toThrow('options must be an object, got null');
    expect(() => underTurn(turn, pi, {} as never)).toThrow('options.dialect must be a dialect');
    expect(() => underTurn(turn, pi, { ...options, graceMs: -1 })).toThrow('graceMs');
    expect(() => underTurn(turn, pi, { ...options, onInterject: 'stop' as never })).toThrow('onInterject');
    expect(() => underTurn(turn, pi, { ...options, model: { idleMs: Number.NaN } })).toThrow('idleMs');
  });
});

it('refuses a turn of a conversation', async () => {
  const { agent } = stage();
  const pi = new FakePi(answering(hi));
  await new Conversation(openaiChat).runTurn(agent, 'go', (turn) => {
    expect(() => underTurn(turn as never, pi, options)).toThrow('keeps its messages itself');
  });
});
