import { expect, it } from 'vitest';
import { forgetLastWords, keepLastWords } from '../../../../src/adapters/internal/framework/last-words.ts';
import { stage } from '../../../core/interrupt/kit.ts';

it('words that nothing follows are among the partials of a stopped turn', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    await turn.model(() => 'answer');
    keepLastWords(turn, 'first');
    keepLastWords(turn, 'last');
    agent.cancel('user');
  });
  expect(report.partials).toEqual([{ modelCall: 1, value: 'last', reason: report.stop?.reason }]);
});

it('words that something follows, and none at all, are not', async () => {
  const { agent } = stage();
  const report = await agent.runTurn((turn) => {
    keepLastWords(turn, 'first');
    forgetLastWords(turn);
    keepLastWords(turn, undefined);
    agent.cancel('user');
    keepLastWords(turn, 'too late');
  });
  expect(report.partials).toEqual([]);
});

it('a turn that completes leaves no listener and reports nothing', async () => {
  const { agent } = stage();
  const report = await agent.runTurn((turn) => {
    keepLastWords(turn, 'answer');
  });
  agent.cancel('user');
  expect(report).toMatchObject({ status: 'completed', partials: [] });
});
