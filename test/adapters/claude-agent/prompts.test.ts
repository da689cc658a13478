import { expect, it } from 'vitest';

import { Prompts } from '../../../src/adapters/claude-agent/prompts.ts';

const message = (uuid: string) => ({
  ...{ type: 'user' as const, uuid, parent_tool_use_id: null },
  message: { role: 'user' as const, content: [] },
});

it('a prompt is written when the next one is asked for, and cannot be taken back then', async () => {
  const prompts = new Prompts();
  const reading = prompts[Symbol.asyncIterator]();
  const first = reading.next();
  const sent = prompts.send(message('a'));
  expect((await first).value).toMatchObject({ uuid: 'a' });
  let isWritten = false;
  void sent.written.then(() => {
    isWritten = true;
  });
  await Promise.resolve();
  expect([isWritten, sent.withdraw()]).toEqual([false, false]);
  const second = reading.next();
  await sent.written;
  prompts.close();
  expect(await second).toEqual({ done: true, value: undefined });
});

it('a prompt that nobody has read can be taken back, once', async () => {
  const prompts = new Prompts();
  const sent = prompts.send(message('a'));
  prompts.send(message('b'));
  expect([sent.withdraw(), sent.withdraw()]).toEqual([true, false]);
  const reading = prompts[Symbol.asyncIterator]();
  expect((await reading.next()).value).toMatchObject({ uuid: 'b' });
  await reading.return(undefined);
});
