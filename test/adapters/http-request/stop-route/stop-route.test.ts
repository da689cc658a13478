import { beforeEach, describe, expect, it } from 'vitest';

import { delay } from '../../../../src/index.ts';
import {
  stopHandler,
  type StopHandlerOptions,
  type StopTarget,
} from '../../../../src/adapters/http-request/stop-route/stop-handler.ts';
import { SessionRegistry, type StopStatus } from '../../../../src/sessions/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

let clock: VirtualClock;
let sessions: SessionRegistry;

beforeEach(() => {
  clock = new VirtualClock();
  sessions = new SessionRegistry({ clock });
});

/** Ada may stop what begins with her name. */
const authorize: StopHandlerOptions['authorize'] = ({ header }, runId) => {
  const by = header('x-user') ?? '';
  return by !== '' && runId.startsWith(`${by}-`) && { by };
};

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function handler(options: Partial<StopHandlerOptions> = {}, target: StopTarget = sessions) {
  const stop = stopHandler(target, { authorize, clock, ...options });
  return async ({ path = '/runs/ada-1/cancel', method = 'POST', body, headers }: Asked = {}) => {
    const request = new Request(`http://local${path}`, {
      method,
      headers: { 'x-user': 'ada', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const response = await stop.fetch(request);
    return {
      code: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  };
}

const run = (id: string) => sessions.open(id).controller.runTurn(({ token }) => delay(token, 60_000));

describe('the Stop route', () => {
  it('stops the run, says how far it came, and names who asked', async () => {
    const ask = handler();
    const turn = run('ada-1');
    const { code, body, headers } = await ask({ body: '{"reason":"enough","wait":"settled"}' });
    expect([code, body['runId'], body['status'], body['timedOut']]).toEqual([200, 'ada-1', 'settled', false]);
    expect(body['reason']).toMatchObject({ kind: 'user', message: 'enough' });
    expect(Object.keys(body)).toEqual(['runId', 'status', 'timedOut', 'reason']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await turn).status).toBe('cancelled');
  });

  it('a stop that comes before its run is kept for it, and a second one is accepted quietly', async () => {
    const ask = handler();
    expect([await ask(), await ask()].map(({ code, body }) => [code, body['status']])).toEqual([
      [202, 'pending'],
      [202, 'pending'],
    ]);
    expect((await run('ada-1')).status).toBe('cancelled');
  });

  it('what is not yours and what is not there are answered alike, and nothing is stopped', async () => {
    const ask = handler();
    const turn = run('bob-1');
    const answers = [
      await ask({ path: '/runs/bob-1/cancel' }),
      await ask({ path: '/runs/bob-2/cancel' }),
      await ask({ path: '/runs/ada-1/cancel', headers: { 'x-user': '' } }),
      await ask({ path: '/runs/%00/cancel' }),
      await ask({ path: '/runs/%/cancel' }),
      await ask({ path: `/runs/ada-${'x'.repeat(300)}/cancel` }),
      await ask({ path: '/runs/ada-1/x/cancel' }),
      await ask({ path: '/runs//cancel' }),
      await ask({ path: '/elsewhere' }),
    ];
    const seen = answers.map(({ code, body, headers }) => JSON.stringify([code, body, [...headers]]));
    expect(new Set(seen).size).toBe(1);
    expect(answers[0]).toMatchObject({ code: 404, body: { error: 'no such run' } });
    expect(sessions.open('bob-1').controller.state).toBe('running');
    await sessions.close('bob-1');
    await turn;
  });

  it.each([
    ['a throw', () => Promise.reject(new Error('the database is down'))],
    ['a throw at once', () => { throw new Error('the database is down'); }], // prettier-ignore
    ['undefined', () => undefined],
    ['a word', () => 'yes' as never],
    ['a number', () => 1 as never],
  ])('%s of authorize is no, and is told', async (what, given) => {
    const errors: unknown[] = [];
    const ask = handler({ authorize: given, onError: (error) => errors.push(error) });
    expect((await ask()).code).toBe(404);
    expect(errors.length).toBe(what.startsWith('a throw') ? 1 : 0);
  });

  it('an authorize that does not answer is answered for, stops nothing later, and the body is let go', async () => {
    let isCancelled = false;
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
    const answers: ((isYes: boolean) => void)[] = [];
    const stop = stopHandler(sessions, {
      ...{ clock, authorizeMs: 200, onError: () => undefined },
      authorize: () => new Promise((resolve) => answers.push(resolve)),
    });
    const turn = run('ada-1');
    const asked = stop.fetch(
      new Request('http://local/runs/ada-1/cancel', { method: 'POST', body, duplex: 'half' } as RequestInit),
    );
    await clock.advance(200);
    const { status, headers } = await asked;
    for (const answer of answers) answer(true);
    await clock.advance(0);
    expect([status, headers.get('retry-after'), isCancelled]).toEqual([503, '1', true]);
    expect([answers.length, sessions.open('ada-1').controller.state]).toEqual([1, 'running']);
    await sessions.close('ada-1');
    await turn;
    expect(clock.pending).toBe(0);
  });

  it('a client chooses neither the kind nor the person of a reason', async () => {
    const reasons: unknown[] = [];
    const target: StopTarget = {
      cancel: (id, reason) => {
        reasons.push(reason);
        return sessions.cancel(id, reason);
      },
    };
    const ask = handler({}, target);
    expect((await ask({ body: '{"kind":"shutdown"}' })).code).toBe(400);
    expect((await ask({ body: '{"reason":{"by":"root"}}' })).code).toBe(400);
    await ask({ body: JSON.stringify({ reason: `a\r\nx-injected: 1\u001b[2J${'z'.repeat(1000)}` }) });
    await ask();
    expect(reasons).toEqual([
      { kind: 'user', message: `a x-injected: 1 [2J${'z'.repeat(481)}`, by: 'ada' },
      { kind: 'user', by: 'ada' },
    ]);
  });

  it('a body is 4 kB at most, and comes in time', async () => {
    const ask = handler();
    const long = (bytes: number) => `{"reason":"${'x'.repeat(bytes - 13)}"}`;
    expect((await ask({ body: long(4096) })).code).toBe(202);
    expect((await ask({ body: long(4097) })).code).toBe(413);
    expect((await ask({ body: '{' })).code).toBe(400);

    let isCancelled = false;
    const endless = new ReadableStream({ cancel: () => void (isCancelled = true) });
    const stop = stopHandler(sessions, { authorize: () => true, clock, timeoutMs: 50 });
    const asked = stop.fetch(
      new Request('http://local/runs/a/cancel', { method: 'POST', body: endless, duplex: 'half' } as RequestInit),
    );
    await clock.advance(50);
    expect([(await asked).status, isCancelled]).toEqual([408, true]);

    const failing = new ReadableStream({ start: (controller) => { controller.error(new Error('reset')); } }); // prettier-ignore
    const init = { method: 'POST', body: failing, duplex: 'half' } as RequestInit;
    expect((await stop.fetch(new Request('http://local/runs/a/cancel', init))).status).toBe(400);
  });

  it('a kill is refused unless it is allowed', async () => {
    expect((await handler()({ body: '{"level":"kill"}' })).code).toBe(403);
    const ask = handler({ allowKill: true });
    const turn = sessions.open('ada-1', { graceMs: 60_000 }).controller.runTurn(() => new Promise(() => undefined));
    const asked = ask({ body: '{"level":"kill","wait":"settled"}' });
    await clock.advance(1);
    expect((await asked).body['status']).toBe('settled');
    expect((await turn).status).toBe('cancelled');
    expect((await ask({ body: '{"level":"kill","turnId":1}' })).code).toBe(400);
  });

  it.each<[StopStatus, number]>([
    ['pending', 202],
    ['requested', 202],
    ['observed', 200],
    ['settled', 200],
    ['runner-dead', 200],
    ['superseded', 200],
    ['refused', 429],
    ['unconfirmed', 503],
  ])('%s is %i', async (status, code) => {
    const reason = { kind: 'user', message: 'm', at: 7 } as const;
    const target = {
      cancel: (sessionId: string) =>
        Promise.resolve({ sessionId, status, timedOut: false, reason, epoch: 3, report: { secret: 'a tool’s value' } }),
    };
    const { code: got, body } = await handler({}, target as never)();
    expect([got, body]).toEqual([code, { runId: 'ada-1', status, timedOut: false, reason, epoch: 3 }]);
  });

  it('waits no longer than the server allows', async () => {
    const turn = sessions.open('ada-1', { graceMs: 60_000 }).controller.runTurn(() => new Promise(() => undefined));
    const asked = handler({ timeoutMs: 500 })({ body: '{"wait":"settled"}' });
    await clock.advance(0);
    await clock.advance(500);
    expect((await asked).body).toMatchObject({ status: 'observed', timedOut: true });
    void sessions.kill('ada-1');
    await clock.advance(1);
    await turn;
  });

  it('one run is stopped so often, and one caller stops so many; others are not slowed', async () => {
    const ask = handler({ perRun: 2, perCaller: 4 });
    const codes = async (path: string, user: string, times: number) => {
      const seen: number[] = [];
      for (let i = 0; i < times; i++) seen.push((await ask({ path, headers: { 'x-user': user } })).code);
      return seen;
    };
    expect(await codes('/runs/ada-1/cancel', 'ada', 3)).toEqual([202, 202, 429]);
    expect(await codes('/runs/ada-2/cancel', 'ada', 3)).toEqual([202, 429, 429]);
    expect(await codes('/runs/bob-1/cancel', 'bob', 1)).toEqual([202]);
    expect(await codes('/runs/bob-1/cancel', 'ada', 1)).toEqual([404]);
    const { code, headers } = await ask();
    expect([code, headers.get('retry-after')]).toEqual([429, '5']);
    await clock.advance(10_000);
    expect(await codes('/runs/ada-1/cancel', 'ada', 1)).toEqual([202]);
  });

  it('a flood is refused before anybody is asked who it is', async () => {
    let asked = 0;
    const ask = handler({
      callerOf: ({ header }) => header('x-forwarded-for'),
      perCaller: 3,
      authorize: () => {
        asked++;
        return false;
      },
    });
    const flood = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        ask({ path: `/runs/r${String(i)}/cancel`, headers: { 'x-forwarded-for': '1' } }),
      ),
    );
    expect([flood.filter(({ code }) => code === 429).length, asked]).toEqual([197, 3]);
    expect((await ask({ headers: { 'x-forwarded-for': '2' } })).code).toBe(404);
  });

  it("while one caller floods, another one's stop takes no longer", async () => {
    // A database that answers one question at a time, in 10 ms each.
    let last: Promise<unknown> = Promise.resolve();
    const slow: StopHandlerOptions['authorize'] = async (request, runId, token) => {
      last = last.then(() => new Promise<void>((resolve) => clock.setTimer(resolve, 10, { ref: true })));
      await last;
      return authorize(request, runId, token);
    };
    const ask = handler({ callerOf: ({ header }) => header('x-user'), perCaller: 3, authorize: slow });
    const turn = run('bob-1');
    const path = (i: number): string => `/runs/ada-${String(i)}/cancel`;
    const flood = Array.from({ length: 1_000 }, (_, i) => ask({ path: path(i) }));
    const answer = ask({ path: '/runs/bob-1/cancel', headers: { 'x-user': 'bob' } });
    // Three of the flood are asked about, and then bob.
    await clock.advance(40);
    expect([(await answer).code, (await turn).status]).toEqual([200, 'cancelled']);
    const codes = (await Promise.all(flood)).map(({ code }) => code);
    expect([codes.filter((code) => code === 202).length, codes.filter((code) => code === 429).length]).toEqual([
      3, 997,
    ]);
  });

  it('only a POST, only from where the browser says it may', async () => {
    const ask = handler();
    const got = await ask({ method: 'PUT' });
    expect([got.code, got.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await ask({ headers: { 'sec-fetch-site': 'cross-site' } })).code).toBe(403);
    expect((await ask({ headers: { 'sec-fetch-site': 'same-site' } })).code).toBe(202);
    expect((await ask({ headers: { origin: 'http://evil.example' } })).code).toBe(403);
    expect((await handler({ allowCrossSite: true })({ headers: { origin: 'http://evil.example' } })).code).toBe(202);
    expect((await handler({ allowCrossSite: true })({ headers: { 'sec-fetch-site': 'cross-site' } })).code).toBe(202);
  });

  it('a target that fails is told, and the client learns nothing of it', async () => {
    const errors: unknown[] = [];
    const target = { cancel: () => Promise.reject(new Error('secret')) };
    const { code, body } = await handler({ onError: (error) => errors.push(String(error)) }, target)();
    expect([code, body, errors]).toEqual([500, { error: 'the stop could not be passed on' }, ['Error: secret']]);
  });
});

describe('the Stop route of a group', () => {
  const groups = ['tenant:acme'];
  const route = '/groups/:group/cancel';
  const path = '/groups/tenant%3Aacme/cancel';
  const member = (id: string) => sessions.open(id, { groups }).controller.runTurn(({ token }) => delay(token, 60_000));

  it('stops every run of the group, with an answer for each; authorize is asked once, with the name of the group', async () => {
    const asked: string[] = [];
    const ask = handler({ route, authorize: (_, group) => (asked.push(group), { by: 'ops' }) });
    const turns = [member('ada-1'), member('bob-1'), run('bob-2')];
    const { code, body } = await ask({ path, body: '{"reason":"enough","wait":"settled"}' });
    expect([code, asked, Object.keys(body), body['group'], body['isComplete']]).toEqual([
      ...[200, ['tenant:acme'], ['group', 'isComplete', 'runs'], 'tenant:acme', true],
    ]);
    expect(body['runs']).toMatchObject([
      { runId: 'ada-1', status: 'settled', timedOut: false, reason: { kind: 'user', message: 'enough' } },
      { runId: 'bob-1', status: 'settled', timedOut: false },
    ]);
    expect(JSON.stringify(body)).not.toContain('operations');
    expect([(await turns[0])?.status, (await turns[1])?.status]).toEqual(['cancelled', 'cancelled']);
    expect(sessions.open('bob-2').controller.state).toBe('running');
    await sessions.close('bob-2');
    await turns[2];
  });

  it('a group that is not yours is answered like one that is not there, and nobody in it is stopped', async () => {
    const asked: string[] = [];
    const ask = handler({ route, authorize: (_, group) => (asked.push(group), false) });
    const turn = member('ada-1');
    const names = ['tenant%3Aacme', 'none', 'a%2F..%2Fb', 'acme%E2%80%AE', 'g'.repeat(129), '%00', '%'];
    const answers: unknown[] = [];
    for (const name of names) answers.push([(await ask({ path: `/groups/${name}/cancel` })).code]);
    expect([new Set(answers.map(String)), asked]).toEqual([new Set(['404']), ['tenant:acme', 'none']]);
    expect(sessions.open('ada-1').controller.state).toBe('running');
    await sessions.close('ada-1');
    await turn;
  });

  it('a group of nobody is an empty list; one of which somebody cannot be said to be told is to be asked for again', async () => {
    const stops = (statuses: readonly StopStatus[], isComplete = true): StopTarget => ({
      cancel: () => Promise.reject(new Error('not asked for')),
      cancelGroup: (group, reason) => {
        const receipts = statuses.map((status) => ({
          sessionId: 'a',
          status,
          timedOut: false,
          reason: { message: '', at: 0, ...reason },
        }));
        return Promise.resolve({ group, isComplete, receipts });
      },
    });
    const codeOf = async (target: StopTarget): Promise<number> =>
      (await handler({ route, authorize: () => true }, target)({ path })).code;
    expect(await codeOf(sessions)).toBe(200);
    expect(await codeOf(stops(['settled', 'requested']))).toBe(202);
    expect(await codeOf(stops(['requested', 'unconfirmed', 'settled']))).toBe(503);
    expect(await codeOf(stops(['settled'], false))).toBe(503);
  });

  it('a group has no turn and no epoch, and needs a target that keeps groups', async () => {
    const ask = handler({ route, authorize: () => true });
    for (const body of ['{"turnId":1}', '{"epoch":1}']) expect((await ask({ path, body })).code).toBe(400);
    const target = { cancel: () => Promise.reject(new Error('no')) };
    expect(() => stopHandler(target, { authorize, route })).toThrow('target.cancelGroup must be a function');
  });
});
