import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';

import { statusHandler } from '../../../../src/adapters/http-request/status-stream/status-handler.ts';
import { SessionRegistry } from '../../../../src/sessions/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function serve() {
  const clock = new VirtualClock();
  const sessions = new SessionRegistry({ clock });
  sessions.open('a');
  return { clock, sessions, ...statusHandler(sessions, { authorize: (_, id) => id === 'a', clock }) };
}

describe('events of a Fetch server', () => {
  it('events of a Fetch server are read one by one, and end with the run', async () => {
    const { clock, sessions, fetch } = serve();
    const { body } = await fetch(new Request('http://local/runs/a/status'));
    await clock.advance(0);
    await sessions.close('a');
    await clock.advance(1_000);
    const text = await new Response(body).text();
    expect(text.split('\n\n')).toEqual([
      'retry: 2000',
      'event: status\ndata: {"runId":"a","state":"closed"}',
      'id: closed\nevent: closed\ndata: {}',
      '',
    ]);
    expect(clock.pending).toBe(0);
  });

  it.each(['its reader', 'its request', 'a request that was over'])(
    'events of a Fetch server end with %s',
    async (who) => {
      const { clock, fetch } = serve();
      const client = new AbortController();
      if (who === 'a request that was over') client.abort();
      const { signal } = client;
      const { body } = await fetch({
        method: 'GET',
        url: 'http://local/runs/a/status',
        headers: new Headers(),
        signal,
      });
      await clock.advance(0);
      if (who === 'its reader') await body?.cancel();
      else client.abort();
      await clock.advance(0);
      expect([clock.pending, getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
    },
  );

  it('events of a Fetch server are refused with an answer', async () => {
    const { fetch } = serve();
    expect((await fetch(new Request('http://local/runs/b/status'))).status).toBe(404);
    const over = await fetch(new Request('http://local/runs/a/status', { headers: { 'last-event-id': 'closed' } }));
    expect([over.status, over.body]).toEqual([204, null]);
  });
});
