import { describe, expect, it, vi } from 'vitest';

import { answerUnlessCancelled, ClientTurn, errorOfPrompt } from '../../../src/adapters/acp/client-turn.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

const withdrawn = { outcome: { outcome: 'cancelled' } };

describe('a question', () => {
  it('is answered by the person, or fails with the person’s dialog', async () => {
    await expect(answerUnlessCancelled([], () => 'yes')).resolves.toBe('yes');
    const failure = new Error('no display');
    await expect(answerUnlessCancelled([], () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it.each([0, 1])('is withdrawn by stop %i while it is open, and taken back', async (which) => {
    const stops = [new CancellationTokenSource(), new CancellationTokenSource()];
    const taken = vi.fn();
    const answer = answerUnlessCancelled(
      stops.map(({ token }) => token),
      (token) => {
        token.onCancelled(taken);
        return new Promise<never>(() => undefined);
      },
    );
    stops[which]?.cancel('user');
    await expect(answer).resolves.toEqual(withdrawn);
    expect(taken).toHaveBeenCalledTimes(1);
  });

  it('that comes after the cancel is not asked', async () => {
    const ask = vi.fn();
    await expect(answerUnlessCancelled([CancellationToken.alreadyCancelled()], ask)).resolves.toEqual(withdrawn);
    expect(ask).not.toHaveBeenCalled();
  });
});

it('knows which tool calls have begun and not ended', () => {
  const onUpdate = vi.fn();
  const turn = new ClientTurn(CancellationToken.none, onUpdate);
  for (const [sessionUpdate, toolCallId, status] of [
    ['tool_call', 'a', 'pending'],
    ['tool_call', 'b', undefined],
    ['tool_call', 'c', 'completed'],
    ['agent_message_chunk', undefined, undefined],
    ['tool_call_update', 'a', 'in_progress'],
    ['tool_call_update', 'b', 'failed'],
    ['tool_call_update', 'of an earlier turn', 'in_progress'],
    ['tool_call', 'd', 'in_progress'],
  ] as const) {
    turn.observe({ sessionUpdate, toolCallId, status });
  }
  expect(turn.openToolCalls).toEqual(['a', 'd']);
  expect(onUpdate).toHaveBeenCalledTimes(8);
});

describe('a prompt whose request has failed', () => {
  const closed = new Error('ACP connection closed');
  const answered = Object.assign(new Error('no'), { code: -32_000 });
  it.each([
    ['fails as its request, if nobody stopped it', closed, false, true, closed],
    ['fails as its agent says, also after the stop', answered, true, true, answered],
    ['was cancelled, if its agent died of that', closed, true, false, { name: 'AbortError', reason: { kind: 'user' } }],
    ['is given up, if its agent was stopped', closed, true, true, { abandoned: { name: 'acp prompt', isOver: true } }],
  ])('a prompt whose request has failed %s', (_what, error, isCancelled, isStopping, expected) => {
    const person = new CancellationTokenSource();
    if (isCancelled) person.cancel('user');
    expect(errorOfPrompt(error, person.token, { name: 'acp prompt', isStopping })).toMatchObject(expected);
  });
});
