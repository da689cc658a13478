import { describe, expect, it } from 'vitest';

import { stopHandler } from '../../../../src/adapters/http-request/stop-route/stop-handler.ts';
import { delay } from '../../../../src/index.ts';
import { inProcessStopBus } from '../../../../src/sessions/in-process-stop-bus.ts';
import { SessionRegistry } from '../../../../src/sessions/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();
const authorize = () => true;

describe('stopHandler', () => {
  it('takes a bus that this process only asks, and a route of another name', async () => {
    const bus = inProcessStopBus({ clock });
    const host = new SessionRegistry({ bus, clock });
    const turn = host.open('ada/1').controller.runTurn(({ token }) => delay(token, 60_000));
    const stop = stopHandler(bus, { authorize: () => true, route: '/api/:id/stop' });
    const asked = await stop.fetch(new Request('http://local/api/ada%2F1/stop?x=1', { method: 'POST' }));
    expect(asked.status).toBe(200);
    expect((await turn).status).toBe('cancelled');
  });

  it.each<[string, unknown, unknown, string]>([
    ['no target', undefined, { authorize }, 'target'],
    ['a target that stops nothing', {}, { authorize }, 'target'],
    ['no options', new SessionRegistry(), undefined, 'options'],
    ['nobody who decides', new SessionRegistry(), {}, 'authorize'],
    ['a route without an id', new SessionRegistry(), { authorize, route: '/stop' }, 'route'],
    ['a time that is none', new SessionRegistry(), { authorize, timeoutMs: -1 }, 'timeoutMs'],
    ['a limit that is none', new SessionRegistry(), { authorize, authorizeMs: Infinity }, 'authorizeMs'],
    ['a rate that is none', new SessionRegistry(), { authorize, perRun: 0 }, 'perRun'],
    ['a rate in words', new SessionRegistry(), { authorize, perCaller: 'many' }, 'perCaller'],
    ['an option that it has not', new SessionRegistry(), { authorize, allowKil: true }, 'allowKil'],
    ['a callback that is none', new SessionRegistry(), { authorize, callerOf: 'x' }, 'callerOf'],
  ])('refuses %s', (_, target, options, name) => {
    expect(() => stopHandler(target as never, options as never)).toThrow(name);
  });
});
