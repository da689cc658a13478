/** Everything that the doors of stops between processes take options for refuses what is none, by name and value. */
import { describe, expect, it } from 'vitest';
import { postgresBackend } from '../../src/adapters/postgres/index.ts';
import { redisBackend } from '../../src/adapters/redis/index.ts';
import { awaitRun, cancelRun, followRun, turnExecutor } from '../../src/adapters/remote-run/index.ts';
import { CancellationTokenSource } from '../../src/index.ts';
import { memoryBackend, openStopBus, type RemoteStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';

/** A bus that is closed whatever happens. */
async function onBus(call: (bus: RemoteStopBus) => unknown): Promise<unknown> {
  await using bus = await openStopBus(memoryBackend());
  return await call(bus);
}

/** Sessions on such a bus. */
function onSessions(call: (sessions: SessionRegistry) => unknown): Promise<unknown> {
  return onBus((bus) => call(new SessionRegistry({ bus })));
}

const unused = (): never => {
  throw new Error('not to be called');
};

const calls: Readonly<Record<string, (options: never) => unknown>> = {
  openStopBus: (options) => openStopBus(memoryBackend(), options),
  memoryBackend: (options) => memoryBackend(options),
  'join of a bus': (options) => onBus((bus) => bus.join('chat', options)),
  'close of a bus': (options) => onBus((bus) => bus.close(options)),
  redisBackend: (options) => redisBackend(options),
  postgresBackend: (options) => postgresBackend(options),
  followRun: (options) => followRun(null, unused, options),
  awaitRun: (options) => awaitRun(null, unused, options),
  cancelRun: (options) => cancelRun('run', unused, options),
  turnExecutor: (options) => turnExecutor(unused, options),
  'open of sessions': (options) => onSessions((sessions) => sessions.open('chat', options)),
  'cancel of sessions': (options) => onSessions((sessions) => sessions.cancel('chat', 'x', options)),
  'cancelGroup of sessions': (options) => onSessions((sessions) => sessions.cancelGroup('all', 'x', options)),
  'close of sessions': (options) => onSessions((sessions) => sessions.close('chat', 'x', options)),
  'drain of sessions': (options) => onSessions((sessions) => sessions.drain(options)),
};

/** What a call says to options that are none. */
async function saidTo(call: (options: never) => unknown, options: unknown): Promise<unknown> {
  try {
    return await call(options as never);
  } catch (error) {
    return error;
  }
}

const { token } = new CancellationTokenSource();

describe.each(Object.entries(calls))('the options of %s', (name, call) => {
  it(`the options of ${name} have no name that it does not know`, async () => {
    expect(await saidTo(call, { leaseMS: 1 })).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(/leaseMS/) as string,
    });
  });

  it.each([
    ['null', null, /got null/],
    ['a list', [], /must be an object of options, got /],
    ['a text', 'fast', /got "fast"/],
    ['a token', token, /must be an object of options/],
    ['a signal', token.signal, /must be an object of options/],
  ])(`the options of ${name} are not %s`, async (_what, options, message) => {
    expect(await saidTo(call, options)).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(message) as string,
    });
  });
});

it.each([[undefined], [null], ['heard'], [{}]])('a bus has no listener that is %j', async (listener) => {
  const said = await saidTo((given) => onBus((bus) => bus.onEvent(given)), listener);
  expect(said).toMatchObject({
    name: 'TypeError',
    message: expect.stringMatching(/listener must be a function/) as string,
  });
});
