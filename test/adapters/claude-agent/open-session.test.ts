import { expect, it } from 'vitest';

import { openSession } from '../../../src/adapters/claude-agent/index.ts';
import { InterruptController } from '../../../src/index.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { fakeQuery, textsOf } from './support/fake-executable.ts';

const agent = new InterruptController();
const { query } = fakeQuery();

it.each([
  ['controller must be an InterruptController, got undefined', [undefined, query, { dialect: anthropic }]],
  ['query must be a function', [agent, {}, { dialect: anthropic }]],
  ['options must be an object', [agent, query]],
  ['options.dialect must be a dialect', [agent, query, {}]],
  ['options.grace is no option', [agent, query, { dialect: anthropic, grace: 1 }]],
  ['options.options must be the options of query(), got 7', [agent, query, { dialect: anthropic, options: 7 }]],
  ['abortController is no option here', [agent, query, { dialect: anthropic, options: { abortController: {} } }]],
  ['queued must be', [agent, query, { dialect: anthropic, queued: 'drop' }]],
  ['background must be', [agent, query, { dialect: anthropic, background: 'kill' }]],
  ['onMessage must be a function', [agent, query, { dialect: anthropic, onMessage: 1 }]],
] as const)('nonsense is refused at the call: %s', (message, given) => {
  expect(() => openSession(...(given as unknown as Parameters<typeof openSession>))).toThrow(message);
});

it.each(['graceMs', 'idleMs'])('a negative %s is refused', (name) => {
  expect(() => openSession(agent, query, { dialect: anthropic, [name]: -1 })).toThrow(RangeError);
});

it('a turn and a prompt that are none are refused', async () => {
  await using session = openSession(agent, query, { dialect: anthropic });
  await expect(session.prompt({} as never, 'go')).rejects.toThrow('turn must be a turn of runTurn()');
  const report = await agent.runTurn((turn) => session.prompt(turn, 7 as never));
  expect(report).toMatchObject({ error: new TypeError('content must be a text or a list of its parts, got 7') });
});

it('a prompt is a text or parts, and a session ends with its block', async () => {
  const { query: own, processes } = fakeQuery();
  {
    await using session = openSession(agent, own, { dialect: anthropic });
    const parts = [{ type: 'text', text: 'see' }, { type: 'image' }];
    expect((await agent.runTurn((turn) => session.prompt(turn, parts))).unwrap()).toMatchObject({ result: 'done' });
    expect(session.query).toBe(processes[0]);
  }
  expect(processes[0]?.prompts.map(textsOf)).toEqual([['see', undefined]]);
  expect(processes[0]?.options.abortController.signal.aborted).toBe(true);
});
