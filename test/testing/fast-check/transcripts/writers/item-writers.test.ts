import { expect, it } from 'vitest';

import { writeRound, writerOf } from '../../../../../src/testing/fast-check/transcripts/writers/index.ts';
import { round, silent } from './rounds.ts';

const user = { role: 'user', content: 'text<1>' };
const call = (id: object, given: string) => ({ type: 'function_call', ...id, name: 'read', arguments: given });

it('Responses: each call is an item, and so is its output', () => {
  const said = { type: 'message', role: 'assistant', content: 'text<2>' };
  expect(writeRound(writerOf('openai-responses'), round)).toEqual([
    user,
    said,
    call({ call_id: 'a' }, '{"of":"call<3>"}'),
    call({}, '{"of":"call<4>"}'),
    call({ call_id: '' }, '{"of":"call<5'),
    { type: 'function_call_output', call_id: 'a', output: 'result<3>' },
    { type: 'function_call_output', call_id: 'nobody', output: 'result<6>' },
  ]);
  expect(writeRound(writerOf('openai-responses'), silent)).toEqual([user, said]);
});

it('OpenAI Agents: the same in the spelling of its runs', () => {
  const content = [{ type: 'output_text', text: 'text<2>' }];
  const said = { type: 'message', role: 'assistant', status: 'completed', content };
  const result = (callId: string, text: string) => ({
    type: 'function_call_result',
    callId,
    name: 'read',
    status: 'completed',
    output: { type: 'text', text },
  });
  expect(writeRound(writerOf('openai-agents'), round)).toEqual([
    user,
    said,
    call({ callId: 'a' }, '{"of":"call<3>"}'),
    call({}, '{"of":"call<4>"}'),
    call({ callId: '' }, '{"of":"call<5'),
    result('a', 'result<3>'),
    result('nobody', 'result<6>'),
  ]);
  expect(writeRound(writerOf('openai-agents'), silent)).toEqual([user, said]);
});
