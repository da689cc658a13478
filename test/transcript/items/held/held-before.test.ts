import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import type { HeldState } from '../../../../src/transcript/held-conversation.ts';
import { settleTurn } from '../../../../src/transcript/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import {
  openaiResponses,
  type OpenAIResponsesItem,
} from '../../../../src/transcript/dialects/openai-responses/index.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;

const reason = createReason({ kind: 'user', at: 1 });
const row = (id: string) => ({ id, name: 'pay', call: {}, ms: 1, status: 'completed', value: 'PAID' }) as const;
const report = { status: 'cancelled', calls: [row('b')], partials: [], stop: { reason } } as const;
const say = (id: string, text = id): Item => ({
  ...{ type: 'message', role: 'assistant', id, status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
});
const call = (id: string): Item => ({ type: 'function_call', call_id: id, name: 'pay', arguments: '{}' });
const paid = (id: string): Item => ({ type: 'function_call_output', call_id: id, output: 'PAID' });
const ask = (content: string): Item => ({ role: 'user', content });
const before = [ask('Hello'), say('m1')];
const turn = [ask('Pay.'), call('b')];
const r1 = { id: 'r1', status: 'completed', output: [say('m1')] };
const r2 = { id: 'r2', status: 'completed', output: [call('b')] };

function drop(messages: readonly Item[], held: HeldState) {
  const options = { dialect: openaiResponses, policy: 'drop-turn', held, turnStart: before.length } as const;
  const { messages: kept, prompts, submit } = settleTurn(messages, report, options);
  return { kept, prompts, submit };
}

describe('a turn that is dropped where the server holds the conversation', () => {
  it('is not gone on from: the way on is the response before it', () => {
    expect(drop([...before, ...turn], { responses: [r1, r2] })).toEqual({
      kept: before,
      prompts: [ask('Pay.')],
      submit: { previous_response_id: 'r1', input: [] },
    });
  });

  it('is not gone on from where it had several responses, or one that was cut', () => {
    const later = [...before, ...turn, paid('b'), say('m3')];
    const r3 = { id: 'r3', status: 'completed', output: [say('m3')] };
    for (const responses of [
      [r1, r2, r3],
      [r1, r2, { id: 'r3', status: 'cancelled' }],
      [r1, { id: 'r2' }],
    ]) {
      expect(drop(later, { responses }).submit).toEqual({ previous_response_id: 'r1', input: [] });
    }
  });

  it('leaves the response before it where the turn has come to none', () => {
    expect(drop([...before, ask('Pay.')], { responses: [r1] }).submit).toEqual({
      previous_response_id: 'r1',
      input: [],
    });
  });

  it('is left by a branch also where a conversation holds it', () => {
    const { submit } = drop([...before, ...turn], { conversation: 'conv', responses: [r1, r2] });
    expect(submit).toEqual({ previous_response_id: 'r1', input: [] });
  });

  it('is left for what its first response itself says that it had gone on from', () => {
    const { submit } = drop([...before, ...turn], { responses: [{ ...r2, previous_response_id: 'r1' }] });
    expect(submit).toEqual({ previous_response_id: 'r1', input: [] });
    const first = drop([...before, ...turn], { responses: [{ ...r2, previous_response_id: null }] });
    expect(first.submit).toEqual({ input: before });
  });

  it('sends again what only its own requests had sent: answers to the calls of the turn before', () => {
    const answered = [ask('Pay.'), call('a'), paid('a')];
    const first = { id: 'r1', output: [call('a')] };
    const options = { dialect: openaiResponses, policy: 'drop-turn', turnStart: answered.length } as const;
    const messages = [...answered, ...turn];
    const { submit } = settleTurn(messages, report, { ...options, held: { responses: [first, r2] } });
    expect(submit).toEqual({ previous_response_id: 'r1', input: [paid('a')] });
    // What the one before had held is not known here, so the way on is the turn itself.
    const held = { responses: [{ ...r2, previous_response_id: 'r1' }] };
    expect(settleTurn(messages, report, { ...options, held }).submit).toEqual({
      previous_response_id: 'r2',
      input: [paid('b')],
    });
  });

  it.each<[string, HeldState, object]>([
    ['response', { responses: [r2] }, { previous_response_id: 'r2' }],
    ['response without its output', { responses: [{ id: 'r2' }] }, { previous_response_id: 'r2' }],
    ['conversation', { conversation: 'conv', responses: [r2] }, { conversation: 'conv' }],
  ])('has its calls answered where nothing but its own %s is known', (_what, held, target) => {
    expect(drop([...before, ...turn], held)).toEqual({
      kept: before,
      prompts: [ask('Pay.')],
      submit: { ...target, input: [paid('b')] },
    });
  });

  it('has nothing sent of what the server does not hold of it', () => {
    const later = [...before, ...turn, paid('b'), call('c'), say('m3', 'half'), ask('Stop.')];
    expect(drop(later, { responses: [r2] }).submit).toEqual({ previous_response_id: 'r2', input: [paid('b')] });
  });

  it('has the questions of a provider denied', () => {
    const question: Item = { type: 'mcp_approval_request', id: 'q', name: 'x', arguments: '{}', server_label: 's' };
    const { submit } = drop([...before, ask('Pay.'), question], { responses: [{ id: 'r2', output: [question] }] });
    expect(submit).toMatchObject({
      previous_response_id: 'r2',
      input: [{ type: 'mcp_approval_response', approval_request_id: 'q', approve: false }],
    });
  });

  it('is the same with the items of OpenAI Agents', () => {
    const said = {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      id: 'm1',
      content: [{ type: 'output_text', text: 'Hi.' }],
    } as OpenAIAgentsItem;
    const asked = { type: 'function_call', callId: 'b', name: 'pay', arguments: '{}', status: 'completed' } as const;
    const all: OpenAIAgentsItem[] = [{ role: 'user', content: 'Hello' } as OpenAIAgentsItem, said];
    const messages = [...all, { role: 'user', content: 'Pay.' } as OpenAIAgentsItem, asked];
    const settle = (responses: HeldState['responses']) =>
      settleTurn(messages, report, {
        ...{ dialect: openaiAgents, policy: 'drop-turn', turnStart: 2 },
        held: { responses },
      } as const);
    const [one, two] = [
      { id: 'r1', output: [said] },
      { id: 'r2', output: [asked] },
    ];
    expect(settle([one, two])).toMatchObject({ messages: all, submit: { previous_response_id: 'r1', input: [] } });
    expect(settle([two])).toMatchObject({
      messages: all,
      submit: { previous_response_id: 'r2', input: [{ type: 'function_call_result', callId: 'b', name: 'pay' }] },
    });
  });
});
