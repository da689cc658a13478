/** What a stream of OpenAI Agents has said in one round of a call. */
import { expect, it } from 'vitest';

import { SaidText } from '../../../src/adapters/openai-agents/said-text.ts';

const call = { callId: (id: string) => id } as unknown as ConstructorParameters<typeof SaidText>[0];
const started = { type: 'response_started' };
const delta = (text: string): object => ({ type: 'output_text_delta', delta: text });

async function* events(...all: object[]): AsyncGenerator<object, undefined> {
  for (const one of all) yield await Promise.resolve(one);
}

/** The types of what a reader gets of a round. */
async function readOf(said: SaidText, ...all: object[]): Promise<unknown[]> {
  const got: unknown[] = [];
  for await (const event of said.next(events(...all), { input: [] })) {
    got.push((event as { readonly type: unknown }).type);
    said.add(event);
  }
  return got;
}

it('a response starts once, whatever its rounds, and the text is of the last one', async () => {
  const said = new SaidText(call);
  expect(await readOf(said, started, delta('one'))).toEqual(['response_started', 'output_text_delta']);
  expect(await readOf(said, started, delta('two'))).toEqual(['output_text_delta']);
  expect(JSON.stringify(said.cut)).toContain('two');
  expect(said.cut).toMatchObject({ isComplete: false });
  expect(JSON.stringify(said.cut)).not.toContain('one');
});

it('before a word was said there is none, and a response that is done is kept', () => {
  const said = new SaidText(call);
  expect(said.add(started)).toBeUndefined();
  const response = { output: [] };
  said.add({ type: 'response_done', response });
  expect(said.response).toBe(response);
});
