import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';

import { acpSessions } from '../../../src/adapters/acp/agent-sessions.ts';
import type { AcpTurn } from '../../../src/adapters/acp/agent-turn.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { anthropic, type AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';
import { Conversation, type ConversationTurn } from '../../../src/transcript/index.ts';
import { FakePeer } from './fake-peer.ts';

function context(sessionId = 's1', request = new AbortController()) {
  return { params: { sessionId }, signal: request.signal, client: new FakePeer() };
}

const ended = { stopReason: 'end_turn' } as const;

/** Works until it is stopped. */
async function work({ turn, update }: AcpTurn) {
  await turn.token.whenCancelled();
  await update({ sessionUpdate: 'last words' });
  turn.checkpoint();
  return ended;
}

it('answers what the body returned, with whatever else it says', async () => {
  const sessions = acpSessions();
  const response = { stopReason: 'max_tokens' as const, usage: { totalTokens: 5 } };
  await expect(sessions.prompt(context(), () => response)).resolves.toBe(response);
});

describe('a prompt of a conversation', () => {
  it('is run by it, stopped as any other, and what was done stands in the conversation', async () => {
    const sessions = acpSessions();
    const chat = new Conversation(anthropic);
    const asked = { role: 'assistant' as const, content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] };
    const answer = sessions.prompt(
      context(),
      async ({ turn, sessionId }: AcpTurn<ConversationTurn<AnthropicMessage>>) => {
        const reply = await turn.model(({ messages }) => {
          expect(messages).toEqual([{ role: 'user', content: 'go' }]);
          return asked;
        });
        await turn.tools(reply.calls, () => {
          sessions.cancel({ sessionId });
          return 'one, two';
        });
        await turn.model(() => expect.unreachable());
        return ended;
      },
      (agent, body, options) => chat.runTurn(agent, 'go', body, options),
    );
    await expect(answer).resolves.toEqual({ stopReason: 'cancelled' });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(chat.messages.at(-1))).toContain('one, two');
  });

  it('refuses what cannot run a turn, before anything begins', async () => {
    const sessions = acpSessions();
    await expect(sessions.prompt(context(), work, 'chat' as never)).rejects.toThrow('runTurn must be a function');
    expect(sessions.session('s1').state).toBe('idle');
  });
});

describe('session/cancel', () => {
  it.each([[{ sessionId: 's1' }], [{ params: { sessionId: 's1' } }]])('%o stops the turn', async (said) => {
    const sessions = acpSessions();
    const prompt = context();
    const answer = sessions.prompt(prompt, work);
    expect(sessions.cancel(said)).toMatchObject({ accepted: true });
    await expect(answer).resolves.toEqual({ stopReason: 'cancelled' });
    expect(prompt.client.methods).toEqual(['session/update']);
    expect(sessions.session('s1').wasInterrupted).toBe(true);
  });

  it('is answered cancelled although the body failed, and the failure is told', async () => {
    const failure = new Error('disk full');
    const onTurnEnd = vi.fn();
    const sessions = acpSessions({ onTurnEnd });
    const answer = sessions.prompt(context(), async ({ turn }) => {
      await turn.token.whenCancelled();
      throw failure;
    });
    sessions.cancel({ sessionId: 's1' });
    await expect(answer).resolves.toEqual({ stopReason: 'cancelled' });
    expect(onTurnEnd).toHaveBeenCalledExactlyOnceWith('s1', expect.objectContaining({ error: failure }));
  });

  it('is answered cancelled although the body has finished', async () => {
    const sessions = acpSessions();
    const answer = sessions.prompt(context(), async ({ turn }) => {
      await turn.token.whenCancelled();
      return ended;
    });
    sessions.cancel({ sessionId: 's1' });
    await expect(answer).resolves.toEqual({ stopReason: 'cancelled' });
  });

  it('for an unknown session, or an idle one, is harmless', async () => {
    const sessions = acpSessions();
    expect(sessions.cancel({ sessionId: 'nobody' })).toBeUndefined();
    await sessions.prompt(context(), () => ended);
    expect(sessions.cancel({ sessionId: 's1' })).toMatchObject({ accepted: false });
    await expect(sessions.prompt(context(), () => ended)).resolves.toBe(ended);
  });

  it('stops one session and no other', async () => {
    const sessions = acpSessions();
    const gate = deferred<typeof ended>();
    const other = sessions.prompt(context('s2'), () => gate.promise);
    const answer = sessions.prompt(context('s1'), work);
    sessions.cancel({ sessionId: 's1' });
    await answer;
    gate.resolve(ended);
    await expect(other).resolves.toBe(ended);
  });
});

describe('$/cancel_request', () => {
  it('rejects with an abort error, which the SDK answers −32800', async () => {
    const request = new AbortController();
    const answer = acpSessions().prompt(context('s1', request), work);
    request.abort(new Error('Request cancelled'));
    await expect(answer).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user', by: 'client' } });
  });

  it('before the prompt runs nothing; after session/cancel changes nothing', async () => {
    const aborted = new AbortController();
    aborted.abort();
    const body = vi.fn(() => ended);
    await expect(acpSessions().prompt(context('s1', aborted), body)).rejects.toMatchObject({ name: 'AbortError' });
    expect(body).not.toHaveBeenCalled();

    const request = new AbortController();
    const sessions = acpSessions();
    const answer = sessions.prompt(context('s1', request), work);
    sessions.cancel({ sessionId: 's1' });
    request.abort();
    await expect(answer).resolves.toEqual({ stopReason: 'cancelled' });
  });

  it('leaves no listener on the request', async () => {
    const request = new AbortController();
    await acpSessions().prompt(context('s1', request), () => ended);
    expect(getEventListeners(request.signal, 'abort')).toHaveLength(0);
  });
});

it('a failure of the body is the prompt’s; a busy session refuses', async () => {
  const sessions = acpSessions();
  const failure = new Error('no model');
  await expect(sessions.prompt(context(), () => Promise.reject(failure))).rejects.toBe(failure);
  const gate = deferred<typeof ended>();
  const first = sessions.prompt(context(), () => gate.promise);
  await expect(sessions.prompt(context(), () => ended)).rejects.toThrow(TypeError);
  gate.resolve(ended);
  await first;
});

it('after the answer nothing more is sent', async () => {
  const sessions = acpSessions();
  const prompt = context();
  let late: AcpTurn['update'] | undefined;
  await sessions.prompt(prompt, ({ update }) => {
    late = update;
    return ended;
  });
  await expect(late?.({ sessionUpdate: 'late' })).resolves.toBe(false);
  expect(prompt.client.sent).toEqual([]);
});

it('a further token, close and closeAll stop as well', async () => {
  const server = new CancellationTokenSource();
  const sessions = acpSessions({ token: server.token });
  const stopped = [sessions.prompt(context('s1'), work), sessions.prompt(context('s2'), work)];
  server.cancel('shutdown');
  await expect(Promise.all(stopped)).resolves.toEqual([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);

  const others = acpSessions();
  const three = ['s1', 's2', 's3'].map((id) => others.prompt(context(id), work));
  expect(await others.close('s1')).toMatchObject({ reason: { kind: 'shutdown' } });
  expect(await others.close('nobody')).toBeUndefined();
  await others.closeAll('disconnect');
  await expect(Promise.all(three)).resolves.toEqual(Array(3).fill({ stopReason: 'cancelled' }));
  expect(others.cancel({ sessionId: 's2' })).toBeUndefined();
});

it('refuses what makes no sense', async () => {
  expect(() => acpSessions({ onTurnEnd: 1 as never })).toThrow('onTurnEnd must be a function, got 1');
  expect(() => acpSessions({ graceMs: -1 })).toThrow('graceMs');
  expect(() => acpSessions().session('')).toThrow('sessionId must be a string with something in it, got ""');
  await expect(acpSessions().prompt(context(), undefined as never)).rejects.toThrow('body must be a function');
});
