import { describe, expect, it } from 'vitest';

import { ConversationLog } from '../../../src/transcript/conversation/conversation-log.ts';
import { EntryWriter, type TurnState } from '../../../src/transcript/conversation/entries.ts';
import { SpokenMessages } from '../../../src/transcript/conversation/spoken-messages.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { anthropic, type AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

function logOf() {
  const rules = rulesOf({ dialect: anthropic });
  const words = createWords(undefined);
  const spoken = new SpokenMessages(rules, words);
  const writer = new EntryWriter<AnthropicMessage>(rules, words, undefined);
  const log = new ConversationLog<AnthropicMessage>({ rules, loops: undefined, words, spoken, writer });
  const turn: TurnState = { reason: () => undefined, isOver: false, replaced: [] };
  return { log, turn, writer };
}

const use = (id: string): object => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'pay', input: {} }],
});
const text = (words: string): object => ({ role: 'assistant', content: [{ type: 'text', text: words }] });
const shown = (log: ConversationLog<AnthropicMessage>): string => JSON.stringify(log.messages);

describe('the log of a conversation', () => {
  it('gives no id twice, of those that were stored neither', () => {
    const { log, turn } = logOf();
    log.restore([
      { role: 'user', content: 'go' },
      use('a') as AnthropicMessage,
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ] as AnthropicMessage[]);
    const ids = [use('a'), use('b'), use('a')].map((reply) => log.take(reply, { turn }).calls[0]?.id);
    expect(ids).toEqual(['a_copy2', 'b', 'a_copy3']);
  });

  it('forgets what a failed call had said once somebody asks again, and nothing else', () => {
    const { log, turn } = logOf();
    log.note('go', turn);
    log.takeCut({ value: text('half') }, { turn }, true);
    expect(shown(log)).toContain('half');
    log.begin();
    log.end();
    expect(log.messages).toEqual([{ role: 'user', content: 'go' }]);
    log.takeCut({ value: { nothing: 'readable' } }, { turn }, true);
    log.takeCut({ value: { role: 'assistant', content: [] } }, { turn }, true);
    log.begin();
    expect(log.messages).toHaveLength(1);
  });

  it('does not change what it has told', () => {
    const { log, turn } = logOf();
    log.note('go', turn);
    const [call] = log.take(use('a'), { turn }).calls;
    const reason = { kind: 'user', message: '', at: 0 } as const;
    log.ended({ id: 'a', name: 'pay', call, ms: 0, status: 'stopped', reason } as never);
    const told = log.tell();
    log.close(turn);
    expect(log.messages).toEqual(told);
    expect(log.messages[1]).toBe(told[1]);
  });

  it('writes what it has told once, however often it is read, and anew where a turn is taken out', () => {
    const { log, turn, writer } = logOf();
    let writes = 0;
    const { write } = writer;
    writer.write = (entry) => {
      writes += 1;
      return write.call(writer, entry);
    };
    const other: TurnState = { reason: () => undefined, isOver: true, replaced: [] };
    for (let n = 0; n < 1_000; n += 1) log.take(text(`word ${String(n)}`), { turn: n === 500 ? turn : other });
    log.tell();
    writes = 0;
    for (let n = 0; n < 10; n += 1) expect(log.messages).toHaveLength(1_000);
    expect(writes).toBe(0);
    log.drop(turn);
    expect(log.messages).toHaveLength(999);
    expect(shown(log)).not.toContain('"word 500"');
  });

  it('says nothing of an outcome whose call it did not hand out', () => {
    const { log, turn } = logOf();
    log.take(use('a'), { turn });
    let changes = 0;
    log.listeners.add(() => {
      changes += 1;
    });
    log.ended({ id: 'a', name: 'pay', call: { id: 'a', name: 'pay' }, ms: 0, status: 'completed', value: 1 });
    expect(changes).toBe(0);
  });
});
