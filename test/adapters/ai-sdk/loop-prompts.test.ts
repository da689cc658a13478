import { expect, it } from 'vitest';
import { callIn, messagesSoFar } from '../../../src/adapters/ai-sdk/messages-so-far.ts';
import { LoopPrompts } from '../../../src/adapters/ai-sdk/loop-prompts.ts';
import type { Round } from '../../../src/adapters/internal/framework/turn-call.ts';
import type { Interjection } from '../../../src/index.ts';
import { stage } from '../../core/interrupt/kit.ts';

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
const told = user('[PRIORITY USER MESSAGE]: use pnpm');
const said = { role: 'assistant', content: [{ type: 'text', text: 'one' }] };
const { signal } = new AbortController();

function roundOf(news: string[] = [], cut?: string): Round {
  const messages = news.map((message) => ({ message }) as Interjection);
  return { signal, news: messages, cut: cut === undefined ? undefined : { text: cut } } as unknown as Round;
}

/** The prompt that each round sends, and the conversation at the end. */
async function played(rounds: (prompts: LoopPrompts, ask: (prompt: unknown[], round?: Round) => void) => void) {
  const sent: unknown[][] = [];
  const { agent } = stage();
  const report = await agent.runTurn((turn) => {
    const prompts = new LoopPrompts();
    rounds(prompts, (prompt, round = roundOf()) => {
      const params = prompts.paramsOf({ prompt, temperature: 0 }, round, callIn(turn));
      expect(params).toMatchObject({ temperature: 0, abortSignal: signal });
      sent.push(params.prompt);
    });
    return messagesSoFar(turn);
  });
  return { sent, messages: report.unwrap() };
}

it('the prompts of a loop are its own, with what was told and was cut, from then on', async () => {
  const { sent, messages } = await played((_prompts, ask) => {
    ask([user('go')], roundOf(['use pnpm'], 'one'));
    ask([user('go'), said, user('and then')]);
  });
  expect(sent).toEqual([
    [user('go'), said, told],
    [user('go'), told, said, user('and then')],
  ]);
  expect(messages).toEqual(sent[1]);
});

it('the prompts of a step are not the messages of its loop, where somebody has put others in their place', async () => {
  const { sent, messages } = await played((prompts, ask) => {
    prompts.begins([user('old'), user('go')]);
    ask([user('go')], roundOf(['use pnpm']));
    prompts.begins([user('old'), user('go'), said]);
    ask([said, user('for this step')]);
  });
  expect(sent[1]).toEqual([said, told, user('for this step')]);
  expect(messages).toEqual([user('old'), user('go'), told, said]);
});
