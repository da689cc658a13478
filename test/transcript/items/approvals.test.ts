import { describe, expect, it } from 'vitest';

import { denial, openQuestionsIn } from '../../../src/transcript/items/approvals.ts';
import { checkTranscript } from '../../../src/transcript/index.ts';
import { cutReply } from '../support/cut-reply.ts';
import { repairWith } from '../support/repair-with.ts';
import { openaiAgents } from '../../../src/transcript/dialects/openai-agents/index.ts';
import { openaiResponses } from '../../../src/transcript/dialects/openai-responses/index.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

const hello = { role: 'user', content: 'Mail it.' };
const later = { role: 'user', content: 'Forget it.' };
const question = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'send', arguments: '{}', server_label: 'mail' };
const answer = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true };
const no = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false };
const reason = createReason({ kind: 'user', at: 1 });

it('tells a question with an answer from one without', () => {
  expect(openQuestionsIn([question])(question)).toBe(true);
  expect(openQuestionsIn([question, answer])(question)).toBe(false);
  expect(openQuestionsIn([answer, question])(question)).toBe(true);
  expect(openQuestionsIn([hello])(hello)).toBe(false);
});

it('says no in the words of the turn', () => {
  const words = createWords({ user: { 'not-started': 'Halted.' } });
  expect(denial(question, { reason, words })).toEqual({ ...no, reason: 'Halted.' });
});

describe('a question of an MCP server that nobody answered', () => {
  it('a question of an MCP server that nobody answered is denied before anybody speaks again', () => {
    const items = [hello, question, later];
    const { messages, changes } = repairWith(items, { dialect: openaiResponses });
    expect(messages).toEqual([hello, question, expect.objectContaining(no), later]);
    expect(changes.map(({ what }) => what)).toEqual(['nobody answered a question of an MCP server']);
    expect(checkTranscript(items, { dialect: openaiResponses }).map(({ rule }) => rule)).toEqual(['call-answered']);
    expect(checkTranscript(messages, { dialect: openaiResponses })).toEqual([]);
    expect(repairWith(messages, { dialect: openaiResponses }).changes).toEqual([]);
  });

  it('keeps the answer that was given', () => {
    expect(repairWith([hello, question, answer], { dialect: openaiResponses }).changes).toEqual([]);
  });

  it('is denied on the server that asks it', () => {
    const held = { responses: [{ id: 'resp_1', status: 'completed', output: [question] }] };
    for (const items of [[hello, question], [hello]]) {
      const { messages, submit } = repairWith(items, { dialect: openaiResponses, held });
      expect(submit).toEqual({ previous_response_id: 'resp_1', input: [expect.objectContaining(no)] });
      expect(checkTranscript(messages, { dialect: openaiResponses })).toEqual([]);
    }
  });

  it('does not come back of a reply that was cut', () => {
    expect(cutReply(openaiResponses, { output: [question] })).toEqual([]);
  });

  it('is denied in the items of OpenAI Agents', () => {
    const asked = { type: 'hosted_tool_call', id: 'mcpr_1', name: 'mcp_approval_request', providerData: question };
    const { messages } = repairWith([hello, asked, later], { dialect: openaiAgents });
    expect(messages).toEqual([hello, asked, expect.objectContaining({ name: 'mcp_approval_response' }), later]);
    expect(messages[2]).toMatchObject({ type: 'hosted_tool_call', providerData: no });
    expect(checkTranscript([hello, asked], { dialect: openaiAgents })).toHaveLength(1);
    expect(checkTranscript(messages, { dialect: openaiAgents })).toEqual([]);
    expect(repairWith(messages, { dialect: openaiAgents }).changes).toEqual([]);
  });
});
