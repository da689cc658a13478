/** What a program writes by hand – words of its own, rows of a ledger, values with holes – is told once, and settled for good. */
import { describe, expect, it } from 'vitest';

import { InterruptController, type ToolOutcome } from '../../src/index.ts';
import { dialectNames } from '../../src/transcript/dialects/table.ts';
import {
  checkTranscript,
  Conversation,
  dialectNamed,
  repair,
  type TranscriptDialect,
  messageWriter,
} from '../../src/transcript/index.ts';

const done = (id: string, name: string, value: unknown): ToolOutcome => ({
  id,
  name,
  call: { input: { to: 'Ann' } },
  ms: 1,
  status: 'completed',
  value,
});

describe.each(dialectNames)('%s', (name) => {
  const dialect = dialectNamed(name) as never;
  const prompt =
    name === 'gemini' ? { role: 'user', parts: [{ text: 'Pay Ann.' }] } : { role: 'user', content: 'Pay Ann.' };

  it('S19 words that end in white space are told without it, and repaired for good', async () => {
    const wording = { user: { cut: '(cut by the user)\n' } };
    const agent = new InterruptController();
    const chat = new Conversation(dialectNamed(name) as TranscriptDialect<object, unknown>, {
      wording,
    });
    await chat.runTurn(agent, prompt, async (turn) => {
      await turn.model(({ partial }) => {
        partial(name === 'ai-sdk' ? { role: 'assistant', content: 'Half' } : 'Half');
        agent.cancel('user');
      });
    });
    expect(checkTranscript(chat.messages as never[], { dialect })).toEqual([]);
    expect(repair(chat.messages as never[], { dialect }).changes).toEqual([]);
    expect(JSON.stringify(chat.messages)).toContain('(cut by the user)"');
  });

  it('S17 a list of holes that a tool returned is told as JSON', () => {
    expect(
      JSON.stringify(messageWriter(dialectNamed(name) as never).toolResults([done('c1', 'pay', new Array(3))])),
    ).toContain('[null,null,null]');
  });

  it('refuses a row without a name', () => {
    const outcomes = [done('c0', 'pay', 'paid'), done('c1', '', 'receipt')];
    const error = new TypeError('outcomes[1].name must be a text that is not empty, got ""');
    expect(() => messageWriter(dialectNamed(name) as never).toolResults(outcomes)).toThrow(error);
  });
});
