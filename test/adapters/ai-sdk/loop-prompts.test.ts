import { expect, it } from 'vitest';
import { RoundItems } from '../../../src/adapters/ai-sdk/cut-items.ts';
import { LoopPrompts } from '../../../src/adapters/ai-sdk/loop-prompts.ts';
import type { Round } from '../../../src/adapters/internal/framework/turn-call.ts';
import { lostNote } from '../../../src/core/foundation/results/lost-note.ts';
import type { Interjection } from '../../../src/index.ts';

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
const told = user('[PRIORITY USER MESSAGE]: use pnpm');
const said = { role: 'assistant', content: [{ type: 'text', text: 'one' }] };
const { signal } = new AbortController();

function roundOf(texts: string[] = [], cut?: string): Round {
  const messages = texts.map((message) => ({ message }) as Interjection);
  return {
    signal,
    interjections: messages,
    cut: cut === undefined ? undefined : { message: { ...said, content: [{ type: 'text', text: cut }] } },
  } as unknown as Round;
}

it('the prompts of a loop are its own, with what was told and was cut, from then on', () => {
  const prompts = new LoopPrompts();
  const params = prompts.paramsOf({ prompt: [user('go')], temperature: 0 }, roundOf(['use pnpm'], 'one'));
  expect(params).toEqual({ prompt: [user('go'), said, told], temperature: 0, abortSignal: signal });
  const next = prompts.paramsOf({ prompt: [user('go'), said, user('and then')] }, roundOf());
  expect(next.prompt).toEqual([user('go'), told, said, user('and then')]);
});

it('the prompt of a step is what its hook made of it, with what was told', () => {
  const prompts = new LoopPrompts();
  prompts.paramsOf({ prompt: [user('go')] }, roundOf(['use pnpm']));
  const next = prompts.paramsOf({ prompt: [said, user('for this step')] }, roundOf());
  expect(next.prompt).toEqual([said, told, user('for this step')]);
});

it('what the provider ran for a round that was cut is told once, before what a person said', () => {
  const prompts = new LoopPrompts();
  prompts.cut(new RoundItems(), { lost: ['pay'] });
  const note = user(lostNote(['pay']));
  expect(prompts.paramsOf({ prompt: [user('go')] }, roundOf(['use pnpm'])).prompt).toEqual([user('go'), note, told]);
  expect(prompts.paramsOf({ prompt: [user('go')] }, roundOf()).prompt).toEqual([user('go'), note, told]);
});
