import { describe, expect, it } from 'vitest';

import type { Reply, ReplyEvent } from '../../../src/adapters/pi/shapes.ts';
import { turnStreamFn, type ModelCalls } from '../../../src/adapters/pi/turn-stream-fn.ts';
import type { ReplyStream } from '../../../src/adapters/pi/reply-stream.ts';
import { InterruptController, type Turn, type TurnReport } from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { tellAssertions } from '../../core/interrupt/kit.ts';
import { callPart, eventsOf, replyOf, textPart } from './support/fake-pi.ts';

const whole = replyOf(textPart('one two'));
const partial = (text: string): ReplyEvent => ({ type: 'text_delta', partial: replyOf(textPart(text)) });

type Client = (signal: AbortSignal) => unknown;

/** One turn that asks the model once and reads the answer. */
async function ask(
  client: Client,
  body: (turn: Turn, stream: ReplyStream, calls: ModelCalls, agent: InterruptController) => unknown,
  isOfTool = false,
) {
  const agent = new InterruptController({ graceMs: 0 });
  tellAssertions(agent);
  const failures: unknown[] = [];
  const cut = new Map<object, Reply | undefined>();
  const report: TurnReport<unknown> = await agent.runTurn(async (turn) => {
    const calls: ModelCalls = {
      ...{ turn, dialect: openaiChat, options: {}, cut, isOfTool },
      tell: () => turn.takeInterjections().length > 0,
      failed: (error) => failures.push(error),
    };
    const fn = turnStreamFn(calls, (_model, _context, options) => client((options as { signal: AbortSignal }).signal));
    return await body(turn, fn({ id: 'm', api: 'a', provider: 'p' }, { messages: [] }) as ReplyStream, calls, agent);
  });
  await agent.close();
  return { report, failures, cut };
}

async function read(stream: ReplyStream): Promise<Reply> {
  for await (const event of stream) void event;
  return await stream.result();
}

/** A client that says something and then nothing until it is told to stop. */
const stalled = (said: ReplyEvent, hears: (signal: AbortSignal) => Promise<unknown>): Client =>
  async function* (signal) {
    yield said;
    await hears(signal);
    yield partial('too late');
  };
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });

describe('a model call of a loop that a tool runs', () => {
  const half = partial('one');

  it('is cut by no message, which waits', async () => {
    const said = deferred();
    const client: Client = async function* () {
      yield half;
      await said.promise;
      yield { type: 'done', message: whole };
    };
    const { report } = await ask(
      client,
      async (turn, stream, _calls, agent) => {
        agent.interject('use pnpm', { delivery: 'now' });
        said.resolve();
        return [(await read(stream)).content, turn.hasInterjections];
      },
      true,
    );
    expect(report.unwrap()).toEqual([whole.content, true]);
    expect(report.partials).toEqual([]);
  });

  it('has its words among the partials of a stopped turn, once, as those of a tool', async () => {
    const { report } = await ask(
      stalled(half, untilAborted),
      async (_turn, stream, _calls, agent) => {
        for await (const event of stream) if (event === half) agent.cancel('user');
      },
      true,
    );
    expect(report.partials).toMatchObject([{ value: { text: 'one', isOfTool: true }, reason: { kind: 'user' } }]);
  });
});

describe('a model call of the loop', () => {
  it('gives its reply whole, and is a call of the turn', async () => {
    const { report } = await ask(
      () => eventsOf(partial('one'), { type: 'done', message: whole }),
      (_turn, stream) => read(stream),
    );
    expect(report.unwrap()).toBe(whole);
  });

  it('gives each call of its reply an id of its own', async () => {
    const reply = replyOf(callPart('a'), callPart('a'));
    const { report } = await ask(
      () => eventsOf({ type: 'done', message: reply }),
      (_turn, stream) => read(stream),
    );
    expect(report.unwrap()).toEqual(replyOf(callPart('a'), callPart('a_copy2')));
  });

  it.each([
    ['hears the stop', untilAborted],
    ['is deaf', () => new Promise(() => undefined)],
  ])('is over at once when it is stopped, where its client %s', async (_how, hears) => {
    const { report, cut } = await ask(stalled(partial('one'), hears), async (turn, stream) => {
      const events: string[] = [];
      for await (const { type } of stream) {
        events.push(type);
        if (type === 'text_delta') turn.cancel('user');
      }
      const reply = await stream.result();
      expect(events).toEqual(['text_delta', 'error']);
      expect(reply).toMatchObject({ stopReason: 'aborted', content: [textPart('one')] });
    });
    expect(report).toMatchObject({ status: 'cancelled', partials: [{ value: { text: 'one' } }] });
    const [kept] = [...cut.values()];
    expect(kept).toMatchObject({
      stopReason: 'stop',
      content: [{ text: expect.stringMatching(/^one.*cut off/s) as string }],
    });
  });

  it('does not begin after a stop, and leaves no row', async () => {
    let asked = 0;
    const { report } = await ask(
      () => {
        asked += 1;
        return eventsOf({ type: 'done', message: whole });
      },
      async (turn, stream, calls) => {
        await read(stream);
        turn.cancel('user');
        const again = turnStreamFn(calls, () => (asked += 1))({}, { messages: [] }) as ReplyStream;
        expect(await read(again)).toMatchObject({ stopReason: 'aborted', content: [] });
      },
    );
    expect([asked, report.status]).toEqual([1, 'cancelled']);
    expect(report.stop?.operations.filter(({ outcome }) => outcome === 'not-started')).toEqual([]);
  });

  it.each([
    ['ends with what it had said, and the message is told', false, textPart('one')],
    ['is asked again where the message was taken back', true, textPart('one two')],
  ])('that is cut by a message %s', async (_what, isTakenBack, said) => {
    let asked = 0;
    const client: Client = (signal) =>
      ++asked === 1 ? stalled(partial('one'), untilAborted)(signal) : eventsOf({ type: 'done', message: whole });
    const { report } = await ask(client, async (_turn, stream, _calls, agent) => {
      for await (const { type } of stream) {
        if (type !== 'text_delta') continue;
        const message = agent.interject('use pnpm', { delivery: 'now' });
        if (isTakenBack) message.withdraw();
      }
      return await stream.result();
    });
    expect(report.unwrap()).toMatchObject({ stopReason: 'stop', content: [said] });
    expect(asked).toBe(isTakenBack ? 2 : 1);
  });

  it('that is cut by a message before its first word leaves nothing', async () => {
    const client = stalled({ type: 'start', partial: replyOf() }, untilAborted);
    const { report, cut } = await ask(client, async (_turn, stream, _calls, agent) => {
      for await (const { type } of stream) if (type === 'start') agent.interject('use pnpm', { delivery: 'now' });
      return await stream.result();
    });
    expect([...cut]).toEqual([[report.unwrap(), undefined]]);
  });

  it('that fails ends as failed, with its error for the turn', async () => {
    const error = new RangeError('socket hang up');
    const { failures, report } = await ask(
      () => Promise.reject(error),
      (_turn, stream) => read(stream),
    );
    expect(report.unwrap()).toMatchObject({ stopReason: 'error', errorMessage: 'socket hang up' });
    expect(failures).toEqual([error]);
  });

  it('that its client says has failed keeps what it said of it', async () => {
    const failed = { ...replyOf(textPart('one')), stopReason: 'error', errorMessage: '529 overloaded' };
    const { failures, report } = await ask(
      () => eventsOf({ type: 'error', error: failed }),
      (_turn, stream) => read(stream),
    );
    expect(report.unwrap()).toMatchObject({ ...failed });
    expect(failures).toMatchObject([{ message: '529 overloaded' }]);
  });

  it('whose stream just ends has failed', async () => {
    const { report } = await ask(
      () => eventsOf(partial('one')),
      (_turn, stream) => read(stream),
    );
    expect(report.unwrap()).toMatchObject({ stopReason: 'error', errorMessage: 'The stream ended before the reply' });
  });

  it('is cut when its reader leaves', async () => {
    const aborted = deferred();
    const client = stalled(partial('one'), async (signal) => {
      await untilAborted(signal);
      aborted.resolve();
    });
    await ask(client, async (_turn, stream) => {
      for await (const event of stream) {
        void event;
        break;
      }
      await aborted.promise;
    });
  });
});
