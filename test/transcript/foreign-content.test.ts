/** Contents in the forms of another provider, without a call that would tell whose they are. */
import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { Conversation, dialectNamed, repair, type TranscriptDialect } from '../../src/transcript/index.ts';
import type { DialectName } from '../../src/transcript/dialects/table.ts';

const named = (name: DialectName): TranscriptDialect<object> => dialectNamed(name) as never;

/** The parts of one's own, and those that only another has. */
const table: readonly (readonly [DialectName, readonly string[], readonly string[]])[] = [
  ['anthropic', ['text', 'image', 'document', 'thinking', 'new_part'], ['image_url', 'input_text']],
  ['openai-chat', ['text', 'image_url', 'input_audio', 'file', 'new_part'], ['image', 'document', 'output_text']],
  ['openai-responses', ['input_text', 'input_image', 'input_file', 'new_part'], ['text', 'image_url', 'document']],
  ['openai-agents', ['input_text', 'input_image', 'audio', 'new_part'], ['text', 'image_url', 'document']],
  ['ai-sdk', ['text', 'image', 'file', 'new_part'], ['image_url', 'document', 'input_text']],
];

/** What the Messages API of Anthropic answers; the reason is null until the reply is whole. */
const claude = (reason: string | null): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

describe('content of another provider without calls', () => {
  for (const [name, own, foreign] of table) {
    const list = (type: string): object[] => [{ role: 'user', content: [{ type, text: 'Look' }] }];

    it(`is refused in a list of ${name} by the type of its part, and no part that is new`, () => {
      for (const type of foreign) {
        expect(() => repair(list(type), { dialect: named(name) })).toThrow(
          `messages[0] must be a message of ${name}, got one with ${type}`,
        );
      }
      for (const type of own) expect(() => repair(list(type), { dialect: named(name) })).not.toThrow();
    });
  }

  for (const name of ['openai-responses', 'openai-chat', 'openai-agents', 'ai-sdk'] as const) {
    it(`is refused as a reply of ${name}, whole and cut, where it is a text of Anthropic`, async () => {
      expect(() => named(name).calls(claude('end_turn'))).toThrow(`reply must be a reply of ${name}, got one with `);
      const chat = new Conversation(named(name));
      const agent = new InterruptController();
      const report = await chat.runTurn(agent, 'Hello', (turn) =>
        turn.model(({ partial, signal }) => {
          partial(claude(null));
          agent.cancel('user');
          return Promise.reject(signal.reason as Error);
        }),
      );
      expect(report.status).toBe('failed');
      expect(chat.messages).toHaveLength(1);
    });
  }
});
