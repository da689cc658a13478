import { describe, expect, it } from 'vitest';

import { StatusRoute } from '../../../../src/adapters/http-request/status-stream/status-route.ts';
import type { StatusHandlerOptions } from '../../../../src/adapters/http-request/status-stream/status-options.ts';
import { delay } from '../../../../src/index.ts';
import { SessionRegistry } from '../../../../src/sessions/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function route(options: Partial<StatusHandlerOptions> = {}) {
  const clock = new VirtualClock({ startAt: 1_000 });
  const sessions = new SessionRegistry({ clock });
  const errors: unknown[] = [];
  const made = new StatusRoute(sessions, {
    authorize: ({ header }, runId) => header('x-user') === 'ada' && runId.startsWith('ada') && { by: 'ada' },
    onError: (error) => errors.push(error),
    ...{ clock, ...options },
  });
  const ask = (path: string, rest: { method?: string; headers?: Record<string, string> } = {}) => {
    const headers: Record<string, string> = { 'x-user': 'ada', ...rest.headers };
    return made.open({
      ...{
        method: rest.method ?? 'GET',
        path,
        header: (name) => headers[name],
        ...{ address: undefined, raw: {}, left: undefined },
      },
    });
  };
  const listen = async (path: string) => {
    const opened = await ask(path);
    if (!('start' in opened)) throw new Error(`answered ${String(opened.status)}`);
    const texts: string[] = [];
    const seen = { texts, isEnded: false };
    const stream = opened.start({ write: (text) => texts.push(text) > 0, end: () => (seen.isEnded = true) });
    return { seen, stream };
  };
  const code = async (...args: Parameters<typeof ask>) => {
    const opened = await ask(...args);
    return 'start' in opened ? 200 : opened.status;
  };
  return { clock, sessions, errors, ask, code, listen };
}

const data = (text: string | undefined) => JSON.parse((text ?? '').replace(/^event: status\ndata: /, '')) as unknown;

describe('the status route', () => {
  it('the status route tells how a run goes, until it has ended, and nothing of who stopped it', async () => {
    const { clock, sessions, listen } = route();
    const { seen } = await listen('/runs/ada-1/status');
    await clock.advance(0);
    const turn = sessions.open('ada-1').controller.runTurn(({ token }) => delay(token, 60_000));
    await clock.advance(1_000);
    await sessions.cancel('ada-1', { kind: 'user', message: 'enough', by: 'eve', detail: { secret: 1 } });
    await turn;
    await clock.advance(1_000);
    await sessions.close('ada-1');
    await clock.advance(1_000);
    const stop = { status: 'settled', reason: { kind: 'user', message: 'enough', at: 2_000 } };
    expect(seen.texts.slice(1, -1).map(data)).toEqual([
      { runId: 'ada-1', state: 'absent' },
      { runId: 'ada-1', state: 'open' },
      { runId: 'ada-1', state: 'open', stop },
      { runId: 'ada-1', state: 'closed' },
    ]);
    expect([seen.texts.at(-1), seen.isEnded, clock.pending]).toEqual([
      'id: closed\nevent: closed\ndata: {}\n\n',
      true,
      0,
    ]);
  });

  it('the status route ends a stream of several runs with the last of them', async () => {
    const { clock, sessions, listen } = route();
    sessions.open('ada-1');
    sessions.open('ada,2');
    const { seen } = await listen('/runs/ada-1,ada%2C2/status');
    await clock.advance(0);
    await sessions.close('ada-1');
    await clock.advance(1_000);
    expect(seen.isEnded).toBe(false);
    await sessions.close('ada,2');
    await clock.advance(1_000);
    expect(seen.texts.slice(1, 3).map(data)).toEqual([
      { runId: 'ada-1', state: 'open' },
      { runId: 'ada,2', state: 'open' },
    ]);
    const again = await listen('/runs/ada-1/status');
    await clock.advance(0);
    expect([seen.isEnded, again.seen.isEnded, clock.pending]).toEqual([true, true, 0]);
  });

  it('the status route takes a run that is written in two ways for one, and ends with it', async () => {
    const { clock, sessions, listen } = route();
    sessions.open('ada');
    const { seen } = await listen('/runs/ada,%61da/status');
    await clock.advance(0);
    await sessions.close('ada');
    await clock.advance(1_000);
    expect([seen.isEnded, clock.pending]).toEqual([true, 0]);
  });

  it('the status route answers alike for what is not yours and what is none, one among several included', async () => {
    const { ask, code, clock } = route();
    const answers = await Promise.all(
      ['/runs/bob-1/status', '/runs/ada-1,bob-1/status', '/runs/%00/status', '/runs/ada%/status', '/other'].map(
        (path) => ask(path),
      ),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: '{"error":"no such run"}' });
    expect(await code('/runs/ada/status', { method: 'POST' })).toBe(405);
    expect(await code('/runs/ada/status', { headers: { 'sec-fetch-site': 'cross-site' } })).toBe(403);
    expect(await code('/runs/ada/status', { headers: { origin: 'http://evil.example' } })).toBe(403);
    expect(await code('/runs/ada/status', { headers: { 'last-event-id': 'closed' } })).toBe(204);
    expect(await code(`/runs/${Array.from({ length: 51 }, (_, n) => `ada${String(n)}`).join(',')}/status`)).toBe(400);
    expect(clock.pending).toBe(0);
  });

  it('the status route takes no more streams than it may, nor from one caller more often', async () => {
    const { ask, clock, code, listen } = route({ mostStreams: 1, perCaller: 5 });
    const { stream } = await listen('/runs/ada/status');
    expect(await code('/runs/ada/status')).toBe(503);
    stream.end();
    // Of several at once, too.
    const both = await Promise.all([ask('/runs/ada/status'), ask('/runs/ada/status')]);
    expect(both.map((opened) => 'start' in opened)).toEqual([true, false]);
    for (const opened of both) if ('start' in opened) opened.abandon();
    expect([await code('/runs/ada/status'), await code('/runs/ada/status')]).toEqual([200, 429]);
    expect(clock.pending).toBe(0);
  });

  it('the status route refuses a flood before it asks authorize, and says nothing of a callerOf that throws', async () => {
    let asked = 0;
    const authorize = () => {
      asked++;
      return { by: 'ada' };
    };
    const { code } = route({ authorize, perCaller: 1, callerOf: () => 'ada' });
    expect([await code('/runs/a,b/status'), asked]).toEqual([200, 2]);
    expect([await code('/runs/a,b/status'), asked]).toEqual([429, 2]);
    const broken = route({
      authorize,
      callerOf: () => {
        throw new Error('no proxy');
      },
    });
    expect([await broken.code('/runs/a/status'), asked]).toEqual([500, 2]);
    expect(broken.errors).toEqual([new Error('no proxy')]);
  });

  it.each([
    ['it may take', { describeMs: 300 }, 300],
    ['the next look is due', { everyMs: 500 }, 500],
  ])(
    'the status route waits for a describe that hangs no longer than %s, and blinds nobody with it',
    async (_, times, ms) => {
      const cancelled: string[] = [];
      let hangs = true;
      const { clock, sessions, errors, listen } = route({
        ...times,
        describe: ({ sessionId }, token) => {
          if (!hangs || sessionId !== 'ada-1') return { title: 'known' };
          hangs = false;
          token.onCancelled(() => cancelled.push(sessionId));
          return new Promise(() => undefined);
        },
      });
      sessions.open('ada-1');
      const { seen } = await listen('/runs/ada-1/status');
      const { seen: other } = await listen('/runs/ada-2/status');
      await clock.advance(0);
      expect([seen.texts.length, data(other.texts[1])]).toEqual([
        1,
        { title: 'known', runId: 'ada-2', state: 'absent' },
      ]);
      await clock.advance(ms);
      expect(data(seen.texts[1])).toEqual({ runId: 'ada-1', state: 'open' });
      expect([cancelled, errors]).toEqual([['ada-1'], [new Error(`describe did not answer within ${String(ms)} ms`)]]);
      await clock.advance(1_000);
      expect(data(seen.texts[2])).toEqual({ title: 'known', runId: 'ada-1', state: 'open' });
      await sessions.close('ada-1');
      await clock.advance(1_000);
      expect([data(seen.texts[3]), seen.isEnded]).toEqual([{ title: 'known', runId: 'ada-1', state: 'closed' }, true]);
    },
  );

  it('the status route shows what describe adds, never in place of what is known, and survives what it throws', async () => {
    let round = 0;
    const { clock, errors, sessions, listen } = route({
      describe: ({ state }) => {
        round++;
        if (round === 2) throw new Error('no board');
        return round === 3 ? { big: 1n } : { doing: `step ${String(round)}`, state: `not ${state}` };
      },
    });
    sessions.open('ada');
    const { seen, stream } = await listen('/runs/ada/status');
    await clock.advance(2_000);
    expect(seen.texts.slice(1).map(data)).toEqual([
      { runId: 'ada', state: 'open', doing: 'step 1' },
      { runId: 'ada', state: 'open' },
    ]);
    expect(errors.map(String)).toEqual([
      'Error: no board',
      'TypeError: describe must return what JSON can hold, got an instance of Object',
    ]);
    stream.end();
    expect(clock.pending).toBe(0);
  });

  it('the status route answers for an authorize that does not, and keeps no place for it', async () => {
    let isSlow = true;
    const { ask, clock, code, errors } = route({
      ...{ authorizeMs: 200, mostStreams: 1 },
      authorize: (_call, runId) => (isSlow && runId === 'b' ? new Promise(() => undefined) : true),
    });
    const asked = ask('/runs/a,b/status');
    await clock.advance(200);
    expect(await asked).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect([errors.length, clock.pending]).toEqual([1, 0]);
    isSlow = false;
    expect(await code('/runs/a,b/status')).toBe(200);
  });
});
