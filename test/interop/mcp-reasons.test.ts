import { afterAll, describe, expect, it } from 'vitest';
import { cancellableRequest } from '../../src/adapters/mcp/index.ts';
import { classify } from '../../src/core/foundation/classify/classify.ts';
import { cancelKinds } from '../../src/core/foundation/cancel-kind.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { rigs } from './support/mcp-rigs.ts';

const inMemory = await Promise.all(
  rigs.filter(({ name }) => name.endsWith('in-memory')).map(async ({ name, open }) => ({ name, rig: await open() })),
);

describe.each(inMemory)('S14 $name', ({ rig }) => {
  afterAll(() => rig[Symbol.asyncDispose]());

  it.each(cancelKinds)('%s stays what it is, through us and in the bare error', async (kind) => {
    const person = new CancellationTokenSource();
    const calls = [
      cancellableRequest(person.token, (options) => rig.call('polite', {}, options)),
      rig.call('polite', {}, { signal: person.signal }),
    ].map((call) => call.catch((error: unknown) => error));
    person.cancel({ kind, message: 'why' });
    const [ours, bare] = await Promise.all(calls);
    expect(ours).toMatchObject({ name: 'AbortError', reason: { kind } });
    for (const error of [ours, bare]) {
      expect(classify(error, person.token)).toMatchObject({ reason: { kind } });
    }
  });

  it('a failure that raced the cancel stays a failure', async () => {
    const person = new CancellationTokenSource();
    const failing = cancellableRequest(person.token, async (options) => {
      const answer = await rig.call('quick', {}, options);
      person.cancel('user');
      throw new Error(`the answer ${answer} makes no sense`);
    });
    await expect(failing).rejects.toThrow('the answer quick makes no sense');
  });
});
