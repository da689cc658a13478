/** What the executable has not read is still to be told: true words of calls, prompts and messages, whoever ended. */
import { expect, it, vi } from 'vitest';

import { textsOf, type FakeExecutable } from './support/fake-executable.ts';
import { stage } from './support/stage.ts';

/** A call of a server of this process, whose handler has not begun. */
async function asksToPay(fake: FakeExecutable): Promise<void> {
  fake.calls('pay');
  await fake.begin('pay');
}
const ofPay = { _meta: { 'claudecode/toolUseId': 'pay' } };

it.each([
  ['completed', 'deaf'],
  ['completed', 'dead'],
  ['failed', 'deaf'],
  ['failed', 'dead'],
  ['failed', 'obedient'],
  ['completed', 'obedient'],
])(
  'S45 work here that has %s beside an executable that is %s is told before the next prompt, once',
  async (end, how) => {
    const { agent, clock, session, run, asked, processes } = stage((fake, prompt) => {
      if (!textsOf(prompt).includes('go')) fake.result({ user_message_uuid: prompt.uuid });
    });
    const running = run('go');
    const fake = await asked();
    fake.onInterrupt = () => {
      if (how === 'deaf') return new Promise(() => undefined);
      fake.returns('pay', 'not wanted', true);
      fake.result({ user_message_uuid: fake.prompts[0]?.uuid, subtype: 'error_during_execution' });
      return undefined;
    };
    await asksToPay(fake);
    let finish: () => void = () => undefined;
    const used = session.use(ofPay, async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      if (end === 'failed') throw new Error('charged, no receipt');
      return 'charged';
    });
    used.catch(() => undefined);
    await new Promise(setImmediate);
    if (how === 'dead') fake.end();
    else agent.cancel('user');
    await new Promise(setImmediate);
    finish();
    await new Promise(setImmediate);
    await clock.advance(100);
    expect((await running).calls).toMatchObject([{ name: 'pay', status: end }]);
    await run('next');
    await run('after');
    const told = processes.flatMap(({ prompts }) => prompts.map(textsOf)).slice(1);
    const words = expect.stringMatching(/^\[pay: .*charged/s) as string;
    expect(told).toEqual([[words, 'next'], ['after']]);
  },
);

it.each([
  ['has not been taken', 'cut by a message'],
  ['waits in the executable', 'cut by a message'],
  ['has not been taken', 'stopped'],
  ['waits in the executable', 'stopped'],
])('S45 what stands in a prompt that %s is not lost where it is %s', async (where, how) => {
  const { agent, session, run, asked, processes } = stage((fake, prompt) => {
    if (textsOf(prompt).at(-1) === 'end') fake.result({ user_message_uuid: prompt.uuid });
  });
  const first = run('go');
  const fake = await asked();
  await asksToPay(fake);
  const used = session.use(
    ofPay,
    ({ signal } = {} as never) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      }),
  );
  used.catch(() => undefined);
  await new Promise(setImmediate);
  fake.onInterrupt = () => {
    fake.returns('pay', 'not wanted', true);
    fake.result({ user_message_uuid: fake.prompts[0]?.uuid, subtype: 'error_during_execution' });
  };
  agent.cancel('user');
  await first;
  fake.onInterrupt = () => ({ cancelled: [fake.prompts.at(-1)?.uuid], still_queued: [] });
  const second = run('second');
  if (where !== 'has not been taken') await asked(2);
  const read = fake.prompts.length;
  if (how === 'stopped') {
    agent.cancel('user');
    await second;
    await run('end');
  } else {
    agent.interject('end', { delivery: 'now' });
    await vi.waitUntil(() => fake.prompts.length > read);
    fake.result({ user_message_uuid: fake.prompts.at(-1)?.uuid });
    expect((await second).status).toBe('completed');
  }
  expect(processes).toHaveLength(1);
  const words = expect.stringMatching(/^\[pay: .*stopped part-way/s) as string;
  const end = how === 'stopped' ? ['end'] : ['second', '[PRIORITY USER MESSAGE]: end'];
  expect(textsOf(fake.prompts.at(-1)!)).toEqual([words, ...end]);
});

it('a message that a process has not read before its death comes back', async () => {
  const { agent, run, asked } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  fake.step({ type: 'message_start' }, { user_message_uuids: [fake.prompts[0]?.uuid] });
  fake.calls('read');
  await fake.begin('read');
  agent.interject('use pnpm');
  await asked(2);
  fake.end(new Error('out of memory'));
  const report = await running;
  expect(report.status).toBe('failed');
  expect(report.undelivered.map(({ message }) => message)).toEqual(['use pnpm']);
});

it('a stop of a prompt whose result is there waits for no other one of it', async () => {
  const { agent, clock, run, asked, processes } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  fake.step({ type: 'message_start' }, { user_message_uuids: [fake.prompts[0]?.uuid] });
  fake.calls('read');
  await fake.begin('read');
  agent.interject('use pnpm');
  await asked(2);
  fake.returns('read');
  fake.result({ user_message_uuids: [fake.prompts[0]?.uuid] });
  await new Promise(setImmediate);
  fake.onInterrupt = () => ({ cancelled: [fake.prompts[1]?.uuid] });
  agent.cancel('user');
  expect((await running).status).toBe('cancelled');
  expect(clock.now()).toBe(0);
  expect(processes[0]?.options.abortController.signal.aborted).toBe(false);
});
