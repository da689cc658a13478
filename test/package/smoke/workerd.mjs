/**
 * A worker whose token stands at the top level of its module, as a user would write it. Each request runs one check and
 * answers what came of it; what one request armed must not hold up another.
 *
 * @module
 */
import { CancellationToken, CancellationTokenSource, InterruptController, delay, withCancellation } from 'desist';

const top = new CancellationTokenSource({ name: 'global' });
const agent = new InterruptController({ name: 'global' });

const kindOf = (promise) =>
  promise.then(
    () => 'completed',
    (error) => error.reason?.kind ?? String(error),
  );

const requests = {
  '/signal': () => String(top.signal.aborted),
  '/under-signal': () => withCancellation(top.token, async ({ signal }) => String(signal.aborted)),
  '/arm-and-end': () => withCancellation(top.token, async () => 'ended', { timeoutMs: 200 }),
  '/limit': () => kindOf(withCancellation(top.token, ({ token }) => delay(token, 5000), { timeoutMs: 300 })),
  '/turn': async () => (await agent.runTurn(({ model }) => model(({ token }) => delay(token, 5).then(() => 7)))).status,
  '/quick-limit': () => kindOf(delay(CancellationToken.timeout(20), 5000)),
  '/wait': () => kindOf(delay(top.token, 5000)),
  '/cancel': () => String(top.cancel('shutdown')),
  '/after': () => kindOf(withCancellation(top.token, () => 'started')),
};

export default {
  async fetch(request) {
    const run = requests[new URL(request.url).pathname];
    const answer = await Promise.resolve()
      .then(run)
      .catch((error) => `threw ${error.name}: ${error.message}`);
    return new Response(String(answer));
  },
};
