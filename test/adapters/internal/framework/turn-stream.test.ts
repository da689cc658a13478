import { describe, expect, it } from 'vitest';
import { InterjectedError } from '../../../../src/adapters/internal/framework/interjected-error.ts';
import { TurnStream, type TurnStreamParts } from '../../../../src/adapters/internal/framework/turn-stream.ts';
import type { Turn } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { errorOf, stage, tick } from '../../../core/interrupt/kit.ts';

/** A stream of words, whose source waits where the word is a promise. */
function words(turn: Turn, rounds: (string | Promise<string>)[][], parts: Partial<TurnStreamParts<string>> = {}) {
  const log: string[] = [];
  let said = '';
  const stream = new TurnStream<string>(
    turn,
    {
      signal: undefined,
      open: ({ signal, cut }) => {
        const own = rounds.shift() ?? [];
        said = '';
        log.push(cut === undefined ? 'open' : `open after ${JSON.stringify(cut)}`);
        return (async function* () {
          try {
            for (const word of own) {
              yield await new Promise<string>((resolve, reject) => {
                void Promise.resolve(word).then(resolve);
                signal.addEventListener('abort', () => {
                  reject(signal.reason as Error);
                });
              });
            }
          } finally {
            log.push('closed');
          }
        })();
      },
      fold: (word) => (said += word),
      onCut: () => ['|'],
      ...parts,
    },
    {},
  );
  return { stream, log };
}

async function read(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const word of stream) text += word;
  return text;
}

it('gives out what its source says, and ends with it', async () => {
  const { agent } = stage();
  const report = await agent.runTurn((turn) => read(words(turn, [['a', 'b', 'c']]).stream));
  expect(report.unwrap()).toBe('abc');
  expect(report.partials).toEqual([]);
});

it('fails with its source, after what came before', async () => {
  const { agent } = stage();
  const failure = new Error('broken');
  const report = await agent.runTurn(async (turn) => {
    const { stream } = words(turn, [], { open: () => Promise.reject(failure) });
    return await errorOf(stream.next());
  });
  expect(report.unwrap()).toBe(failure);
});

describe('a stop', () => {
  it('before anything was said leaves no partial output, only after it', async () => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) => {
      const { stream } = words(turn, [['(start)', 'a', deferred<string>().promise]], {
        fold: (word) => (word === '(start)' ? undefined : word),
      });
      void stream.next().then(() => agent.cancel('user'));
      return read(stream);
    });
    expect(report).toMatchObject({ status: 'cancelled', partials: [] });
  });

  it('rejects the pending read in its tick, drops what is in line, and keeps what had come', async () => {
    const { agent } = stage();
    const log: unknown[] = [];
    const report = await agent.runTurn(async (turn) => {
      const { stream } = words(turn, [['a', 'b', new Promise(() => undefined)]]);
      await tick();
      log.push(await stream.next());
      agent.cancel('user');
      log.push(await errorOf(stream.next()), await errorOf(stream.next()));
      log.push(turn.signal.reason);
    });
    const [first, ...errors] = log;
    expect(first).toEqual({ done: false, value: 'a' });
    expect(new Set(errors).size).toBe(1);
    expect(report).toMatchObject({ status: 'cancelled', partials: [{ value: 'a', reason: { kind: 'user' } }] });
  });

  it('does not wait for a source that is deaf', async () => {
    const { agent, clock } = stage();
    const running = agent.runTurn(async (turn) => {
      const stream = new TurnStream<string>(
        turn,
        {
          signal: undefined,
          open: () => new Promise(() => undefined),
          fold: String,
          onCut: () => [],
        },
        {},
      );
      const pending = errorOf(stream.next());
      agent.cancel('user');
      return await pending;
    });
    await clock.runAll();
    expect(await running).toMatchObject({ status: 'cancelled', stop: { abandoned: ['model'] } });
  });

  it('before the start opens nothing', async () => {
    const { agent } = stage();
    const log = await agent.runTurn(async (turn) => {
      agent.cancel('user');
      const { stream, log } = words(turn, [['a']]);
      await errorOf(stream.next());
      return log;
    });
    expect(log).toMatchObject({ status: 'cancelled', completed: { value: [] } });
  });
});

it('a message cuts one round, closes what is open, and the next goes on in the same stream', async () => {
  const { agent } = stage();
  const halfway = deferred();
  const log: string[][] = [];
  const running = agent.runTurn(async (turn) => {
    const made = words(turn, [
      ['a', 'b', new Promise(() => undefined)],
      ['c', 'd'],
    ]);
    log.push(made.log);
    void tick().then(halfway.resolve);
    return await read(made.stream);
  });
  await halfway.promise;
  agent.interject('news', { delivery: 'now' });
  expect((await running).unwrap()).toBe('ab|cd');
  expect(log).toEqual([['open', 'closed', 'open after "ab"', 'closed']]);
});

it('closes what is open also of a round that was cut before its first word, and nothing of what came after the cut', async () => {
  const { agent } = stage();
  const late = deferred<string>();
  const open: string[] = [];
  const running = agent.runTurn((turn) => {
    const deaf = async function* () {
      yield '[';
      yield await late.promise;
    };
    const rounds = [deaf, deaf];
    const parts: TurnStreamParts<string> = {
      signal: undefined,
      open: () => rounds.shift()?.() ?? deaf(),
      fold: (word) => {
        open.push(word);
        return undefined;
      },
      onCut: () => open.splice(0).map(() => ']'),
    };
    return read(new TurnStream(turn, parts, {}));
  });
  await tick();
  agent.interject('use pnpm', { delivery: 'now' });
  late.resolve('(');
  expect((await running).unwrap()).toBe('[][(');
});

describe('an answer that is acted on already', () => {
  const endOfCut = (): readonly string[] => ['.'];

  it('ends where a message cuts it, and the message waits for the next call', async () => {
    const { agent } = stage();
    const running = agent.runTurn(async (turn) => {
      const made = words(turn, [['a', deferred<string>().promise], ['b']], { endOfCut });
      return [await read(made.stream), turn.hasInterjections, ...made.log];
    });
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    const report = await running;
    expect(report.unwrap()).toEqual(['a|.', true, 'open', 'closed']);
    expect(report.partials).toMatchObject([{ value: 'a', reason: { kind: 'interjection' } }]);
  });

  it('ends with its own end, if that had come', async () => {
    const { agent } = stage();
    const isHeld = (word: string): boolean => word === '[';
    const running = agent.runTurn((turn) =>
      read(words(turn, [['a', '[', ']', deferred<string>().promise]], { endOfCut, isHeld }).stream),
    );
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    expect((await running).unwrap()).toBe('a|[]');
  });
});

describe('a reader that leaves', () => {
  it('ends the model’s call, and the turn does not wait for it', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const { stream, log } = words(turn, [['a', new Promise(() => undefined)]]);
      for await (const word of stream) if (word === 'a') break;
      await tick();
      expect(await stream.next()).toEqual({ done: true, value: undefined });
      return log;
    });
    expect(report).toMatchObject({ status: 'completed', value: ['open', 'closed'] });
  });
});

it('a stream that nobody reads keeps nothing open: its source is heard out after a second', async () => {
  const { agent, clock } = stage();
  const running = agent.runTurn((turn) => {
    words(turn, [['a', 'b']]);
  });
  await clock.runAll();
  expect(await running).toMatchObject({ status: 'completed' });
  expect(clock.now()).toBeGreaterThanOrEqual(1000);
});

describe('a slow reader', () => {
  it('holds the source back: it is read no more than one event ahead', async () => {
    const { agent } = stage();
    const pulled: string[] = [];
    const ahead: number[] = [];
    await agent.runTurn(async (turn) => {
      const { stream } = words(turn, [['a', 'b', 'c', 'd']], { fold: (word) => pulled.push(word) });
      let taken = 0;
      for await (const _word of stream) {
        taken++;
        await tick();
        ahead.push(pulled.length - taken);
      }
    });
    expect(Math.max(...ahead)).toBeLessThanOrEqual(1);
  });

  it('that stops has read just what the report keeps, although the source had more to say', async () => {
    const { agent } = stage();
    let shown = '';
    const report = await agent.runTurn(async (turn) => {
      for await (const word of words(turn, [['a', 'b', 'c', 'd']]).stream) {
        shown += word;
        await tick();
        if (word === 'b') agent.cancel('user');
      }
    });
    expect(shown).toBe('ab');
    // One event is read ahead, so that the reader never waits for both.
    expect(report).toMatchObject({ status: 'cancelled', partials: [{ value: 'abc' }] });
  });

  it('is not taken for a silent model', async () => {
    const { agent, clock } = stage();
    let round = 0;
    const running = agent.runTurn(async (turn) => {
      const stream = new TurnStream<string>(
        turn,
        {
          signal: undefined,

          open: async function* () {
            yield 'a';
            yield 'b';
            yield 'c';
          } as never,
          fold: () => ++round,
          onCut: () => [],
        },
        { idleMs: 100 },
      );
      let text = '';
      for await (const word of stream) {
        text += word;
        await new Promise<void>((resolve) => clock.setTimer(resolve, 400, { ref: true }));
      }
      return text;
    });
    await clock.runAll();
    expect((await running).unwrap()).toBe('abc');
  });
});

it('what a source had said in full is kept of a turn that is stopped before anything follows', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    await read(words(turn, [['a', 'b']], { onEnd: () => 'ab' }).stream);
    agent.cancel('user');
  });
  expect(report).toMatchObject({ status: 'cancelled', partials: [{ modelCall: 1, value: 'ab' }] });
});

describe('what is held back', () => {
  const isHeld = (word: string): boolean => word === '[';

  it('comes with all that follows it, once the call has ended whole', async () => {
    const { agent } = stage();
    const rest = deferred<string>();
    const given: string[] = [];
    const running = agent.runTurn(async (turn) => {
      for await (const word of words(turn, [['a', '[', 'b', rest.promise]], { isHeld }).stream) given.push(word);
    });
    await tick();
    expect(given).toEqual(['a']);
    rest.resolve(']');
    await running;
    expect(given).toEqual(['a', '[', 'b', ']']);
  });

  it('is not given out of a call that a message cut', async () => {
    const { agent } = stage();
    const running = agent.runTurn((turn) =>
      read(
        words(
          turn,
          [
            ['a', '[', 'b', deferred<string>().promise],
            ['c', '[', 'd', ']'],
          ],
          { isHeld },
        ).stream,
      ),
    );
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    expect((await running).unwrap()).toBe('a|c[d]');
  });

  it('is not cut while the reader takes it: the message waits', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      let text = '';
      for await (const word of words(turn, [['[', 'b', ']']], { isHeld }).stream) {
        text += word;
        if (word === '[') agent.interject('use pnpm', { delivery: 'now' });
      }
      return text;
    });
    expect(report.unwrap()).toBe('[b]');
    expect(report.undelivered).toHaveLength(1);
  });

  it('is not given out after a stop', async () => {
    const { agent } = stage();
    const given: string[] = [];
    const running = agent.runTurn(async (turn) => {
      for await (const word of words(turn, [['a', '[', deferred<string>().promise]], { isHeld }).stream)
        given.push(word);
    });
    await tick();
    agent.cancel('user');
    expect((await running).status).toBe('cancelled');
    expect(given).toEqual(['a']);
  });

  it('is no silence of the model', async () => {
    const { agent, clock } = stage();
    const running = agent.runTurn(async (turn) => {
      const slowly = async function* () {
        for (const word of ['[', 'b', 'c', ']']) {
          yield word;
          await new Promise<void>((resolve) => clock.setTimer(resolve, 80, { ref: true }));
        }
      };
      const parts = { signal: undefined, open: slowly, fold: () => undefined, onCut: () => [], isHeld };
      return await read(new TurnStream<string>(turn, parts, { idleMs: 100 }));
    });
    await clock.runAll();
    expect((await running).unwrap()).toBe('[bc]');
  });
});

it('an answer that nothing can follow fails when a message cuts it, and the message is told by the next call', async () => {
  const { agent } = stage();
  const log: unknown[] = [];
  const running = agent.runTurn(async (turn) => {
    const isFinal = (): boolean => true;
    const error = await errorOf(read(words(turn, [['a', deferred<string>().promise]], { isFinal }).stream));
    log.push(error, turn.hasInterjections);
    return await read(words(turn, [['b']], { isFinal }).stream);
  });
  await tick();
  agent.interject('use pnpm', { delivery: 'now' });
  const report = await running;
  expect(log).toEqual([expect.any(InterjectedError), true]);
  expect(log[0]).toMatchObject({ name: 'InterjectedError', reason: { kind: 'interjection' } });
  expect(report.unwrap()).toBe('b');
  expect(report.undelivered).toEqual([]);
});
