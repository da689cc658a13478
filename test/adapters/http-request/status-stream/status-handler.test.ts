import { describe, expect, it } from 'vitest';

import { statusHandler } from '../../../../src/adapters/http-request/status-stream/status-handler.ts';
import { openStopBus, memoryBackend } from '../../../../src/remote/index.ts';
import { SessionRegistry } from '../../../../src/sessions/index.ts';

const authorize = () => true;

describe('statusHandler', () => {
  it('statusHandler takes a remote bus that this process only looks at', async () => {
    const bus = await openStopBus(memoryBackend());
    const { fetch } = statusHandler(bus, { authorize, route: '/api/:id' });
    const { body, headers } = await fetch(new Request('http://local/api/a'));
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await body?.cancel();
    await bus.close();
  });

  it.each<[string, unknown, unknown, string]>([
    ['no target', undefined, { authorize }, 'target must be a SessionRegistry'],
    ['a target that cannot look', {}, { authorize }, 'target'],
    ['no options', new SessionRegistry(), undefined, 'options must be an object, got undefined'],
    ['nobody who decides', new SessionRegistry(), {}, 'authorize'],
    ['a route without an id', new SessionRegistry(), { authorize, route: '/status' }, 'route'],
    ['a time that is none', new SessionRegistry(), { authorize, everyMs: -1 }, 'everyMs'],
    ['a limit that is none', new SessionRegistry(), { authorize, mostStreams: 0 }, 'mostStreams'],
    ['a caller that is none', new SessionRegistry(), { authorize, callerOf: 'ada' }, 'callerOf'],
    [
      'an option that it does not know',
      new SessionRegistry(),
      { authorize, everyMS: 1 },
      'options.everyMS is no option',
    ],
    ['a description that is none', new SessionRegistry(), { authorize, describe: {} }, 'describe'],
  ])('statusHandler refuses %s', (_, target, options, name) => {
    expect(() => statusHandler(target as never, options as never)).toThrow(name);
  });
});
