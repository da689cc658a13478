import { describe, expect, it } from 'vitest';
import {
  cancellableStream,
  foldOpenAIChat,
  foldOpenAIResponses,
  IncompleteReplyError,
  readStream,
} from '../../../src/adapters/llm/index.ts';

async function* chunks(isWhole: boolean) {
  yield await Promise.resolve({ choices: [{ delta: { content: 'Hel' } }] });
  if (isWhole) yield { choices: [{ delta: { content: 'lo' }, finish_reason: 'stop' }] };
}
const options = { fold: foldOpenAIChat, requireComplete: true };

describe('a reply that must be complete', () => {
  it('is refused if its stream ends early, with what had come', async () => {
    const error = await readStream(null, () => chunks(false), options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(IncompleteReplyError);
    expect(error).toMatchObject({ name: 'IncompleteReplyError', partial: { text: 'Hel' } });
  });

  it('is given out if it is, and without the option as before', async () => {
    expect(await readStream(null, () => chunks(true), options)).toMatchObject({ text: 'Hello', isComplete: true });
    expect(await readStream(null, () => chunks(false), { fold: foldOpenAIChat })).toMatchObject({ text: 'Hel' });
  });

  it.each([
    { type: 'error', code: 'rate_limit_exceeded', message: 'No quota.' },
    { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'No quota.' } } },
  ])('is refused with what the provider said of its failure: $type', async (event) => {
    async function* failing() {
      yield await Promise.resolve(event);
    }
    const read = readStream(null, failing, { fold: foldOpenAIResponses, requireComplete: true });
    await expect(read).rejects.toThrow('before the reply was complete: rate_limit_exceeded: No quota.');
    const value = await readStream(null, failing, { fold: foldOpenAIResponses });
    expect(value).toMatchObject({ stopReason: 'failed', error: { code: 'rate_limit_exceeded' } });
  });

  it('is not asked of a reader that leaves', async () => {
    const stream = cancellableStream(null, () => chunks(false), options);
    await stream.next();
    expect(await stream.return()).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('needs a fold', () => {
    expect(() => cancellableStream(null, () => chunks(true), { requireComplete: true })).toThrow(
      'fold must be a function',
    );
  });
});
