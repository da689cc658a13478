import { expect, it } from 'vitest';
import { Conversations } from '../../../../src/adapters/internal/framework/conversations.ts';
import { stage } from '../../../core/interrupt/kit.ts';

it('a conversation is what was asked last, and what was answered', async () => {
  const { agent } = stage();
  await agent.runTurn((turn) => {
    const conversations = new Conversations<string>();
    expect(conversations.of(turn)).toEqual([]);
    conversations.asked(turn, ['go']);
    conversations.answered(turn, 'call');
    conversations.asked(turn, ['go', 'call', 'result']);
    expect(conversations.of(turn)).toEqual(['go', 'call', 'result']);
    conversations.answered(turn, 'done', 'really');
    expect(conversations.of(turn)).toEqual(['go', 'call', 'result', 'done', 'really']);
  });
});

it('a conversation is a copy, and that of one turn only', async () => {
  const { agent } = stage();
  const conversations = new Conversations<string>();
  const asked = ['go'];
  await agent.runTurn((turn) => {
    conversations.asked(turn, asked);
    asked.push('changed');
    conversations.of(turn).push('changed');
    expect(conversations.of(turn)).toEqual(['go']);
  });
  await agent.runTurn((turn) => {
    expect(conversations.of(turn)).toEqual([]);
  });
});

it.each([[undefined], [null], [{}], ['turn']])('%s is no turn', (value) => {
  expect(() => new Conversations().of(value as never)).toThrow('turn must be a turn');
});
