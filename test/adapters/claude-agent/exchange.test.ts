import { expect, it, vi } from 'vitest';

import { DeadlineExceededError } from '../../../src/index.ts';
import { textsOf } from './support/fake-executable.ts';
import { stage } from './support/stage.ts';

it('each reply of the model is a call of the turn, and its words are the partial of a stopped one', async () => {
  const { agent, run, asked } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  fake.step({ type: 'message_start' });
  fake.words('first ');
  fake.calls('read');
  await fake.begin('read');
  fake.returns('read');
  fake.words('second');
  await new Promise(setImmediate);
  const { settled } = agent.cancel('user');
  const report = await running;
  expect(report.partials).toMatchObject([{ modelCall: 2, value: { text: 'second' } }]);
  expect((await settled).operations.map(({ kind, outcome }) => [kind, outcome])).toEqual([['model', 'cancelled']]);
  expect(fake.interrupts).toBe(1);
});

it('output tokens count for the budget, and the next call of the model is refused', async () => {
  const { run, asked } = stage(() => undefined);
  const running = run('go', { outputTokens: 3 });
  const fake = await asked();
  fake.step({ type: 'message_delta', usage: { output_tokens: 5 } });
  fake.calls('read');
  await fake.begin('read');
  fake.returns('read');
  await new Promise(setImmediate);
  // Where the tokens did not count, the prompt ends as any other.
  fake.result();
  expect(await running).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
  expect(fake.interrupts).toBe(1);
});

it('a result of something else is not that of the prompt', async () => {
  const { run, asked } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  fake.result({ user_message_uuid: 'of another', result: 'other' });
  fake.result({ user_message_uuids: ['of another', fake.prompts[0]?.uuid], result: 'mine' });
  expect((await running).unwrap()).toMatchObject({ result: 'mine' });
});

it('a prompt that the executable drops because of the stop has ended', async () => {
  const { agent, run, asked, clock } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  fake.onInterrupt = () => ({ still_queued: [], cancelled: [fake.prompts[0]?.uuid] });
  agent.cancel('user');
  expect(await running).toMatchObject({ status: 'cancelled' });
  expect(clock.now()).toBe(0);
});

it('an executable that is silent for too long fails the turn, and is told', async () => {
  const { run, asked, clock } = stage(() => undefined, { idleMs: 50 });
  const running = run('go');
  const fake = await asked();
  await clock.advance(50);
  const report = await running;
  expect(report.status === 'failed' && report.error).toBeInstanceOf(DeadlineExceededError);
  expect(fake.interrupts).toBe(1);
});

it('a deaf executable is named, its calls are unknown, and what they came to is told late', async () => {
  const { agent, run, asked, clock } = stage((fake, prompt) => {
    if (textsOf(prompt).at(-1) === 'and now?') fake.result();
  });
  const running = run('go');
  const fake = await asked();
  fake.onInterrupt = () => new Promise(() => undefined);
  fake.calls('pay');
  await fake.begin('pay');
  const { settled } = agent.cancel('user');
  await clock.advance(100);
  expect((await running).calls).toMatchObject([{ name: 'pay', status: 'unknown' }]);
  expect((await settled).abandoned).toEqual(['pay']);
  expect(fake.options.abortController.signal.aborted).toBe(true);
  await vi.waitUntil(() => agent.takeLateOutcomes().length === 1);
});

it.each([
  ['next-model-call', 0],
  ['now', 1],
] as const)('a message for %s that comes while a tool runs is the next prompt', async (delivery, interrupts) => {
  const { agent, run, asked } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  fake.calls('read');
  await fake.begin('read');
  agent.interject('use pnpm', { delivery });
  expect(fake.interrupts).toBe(0);
  fake.returns('read');
  if (delivery === 'next-model-call') fake.result();
  await asked(2);
  fake.result();
  const report = await running;
  expect(report).toMatchObject({ status: 'completed', calls: [{ status: 'completed' }] });
  expect(fake.interrupts).toBe(interrupts);
  expect(fake.prompts.map(textsOf)).toEqual([['go'], ['[PRIORITY USER MESSAGE]: use pnpm']]);
});

it('a message that was taken back after it had cut a reply leaves the executable to go on', async () => {
  const { agent, run, asked } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  fake.onInterrupt = () => {
    message.withdraw();
    fake.result({ subtype: 'error_during_execution' });
  };
  fake.words('half');
  await new Promise(setImmediate);
  const message = agent.interject('no', { delivery: 'now' });
  await asked(2);
  fake.result();
  expect((await running).status).toBe('completed');
  expect(textsOf(fake.prompts[1]!)).toEqual(['Go on.']);
});

it('S21 an executable that says what it has read is told at once what a person says while calls run', async () => {
  const { agent, run, asked } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  fake.step({ type: 'message_start' }, { user_message_uuids: [fake.prompts[0]?.uuid] });
  fake.calls('read');
  await fake.begin('read');
  // Until the whole reply has been read.
  await new Promise(setImmediate);
  agent.interject('use pnpm', { delivery: 'now' });
  await asked(2);
  expect(fake.interrupts).toBe(0);
  fake.returns('read');
  const uuids = fake.prompts.map(({ uuid }) => uuid);
  fake.result({ user_message_uuids: uuids, result: 'with pnpm' });
  expect((await running).unwrap()).toMatchObject({ result: 'with pnpm' });
  expect(textsOf(fake.prompts[1]!)).toEqual(['[PRIORITY USER MESSAGE]: use pnpm']);
});

it('S21 a message that the executable has not read beside a result is its next prompt, in the same turn', async () => {
  const { agent, run, asked } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  const [first] = fake.prompts.map(({ uuid }) => uuid);
  fake.step({ type: 'message_start' }, { user_message_uuids: [first] });
  fake.calls('read');
  await fake.begin('read');
  agent.interject('use pnpm');
  await asked(2);
  fake.returns('read');
  fake.result({ user_message_uuids: [first] });
  fake.step({ type: 'message_start' });
  fake.result({ user_message_uuids: [fake.prompts[1]?.uuid], result: 'with pnpm' });
  expect((await running).unwrap()).toMatchObject({ result: 'with pnpm' });
});

it('S22 a message that waits in the executable when the stop comes is taken back, and comes back', async () => {
  const { agent, run, asked } = stage(() => undefined);
  const running = run('go');
  const fake = await asked();
  fake.step({ type: 'message_start' }, { user_message_uuids: [fake.prompts[0]?.uuid] });
  fake.calls('read');
  await fake.begin('read');
  agent.interject('use pnpm');
  await asked(2);
  agent.cancel('user');
  const report = await running;
  expect(report.undelivered.map(({ message }) => message)).toEqual(['use pnpm']);
  expect(fake.interrupts).toBe(1);
});
