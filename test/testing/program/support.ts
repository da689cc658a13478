/** What the tests of this room share: a setup with folders of its own, and a stage that only looks like one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

import type { ModelRequest } from '../../../src/testing/index.ts';
import type { ProgramProfile } from '../../../src/testing/program/index.ts';
import { acquaint, type Acquaintance } from '../../../src/testing/program/conversation/acquaintance.ts';
import { Patience } from '../../../src/testing/program/stage/patience.ts';
import type { Stage, StageSetup } from '../../../src/testing/program/stage/stage.ts';

/** A folder of the test that runs: a hook of this module would be one of the first file alone that loads it. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'program-'));
  onTestFinished(() => {
    rmSync(made, { recursive: true, force: true });
  });
  return made;
}

/** Limits of a machine of usual speed. */
export const patience: Patience = await Patience.begin(undefined, () => Promise.resolve(1));

export function setupOf(profile: ProgramProfile, known?: Acquaintance): StageSetup {
  return {
    profile,
    terminals: undefined,
    home: folder(),
    work: folder(),
    known,
    watchMs: 10,
    goneMs: 500,
    patience,
  };
}

const schema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
export const bash = { name: 'bash', input_schema: schema };

/** A request of Anthropic's protocol. */
export function requestOf(
  messages: readonly object[],
  tools: readonly object[] = [bash],
  rest: Partial<ModelRequest> = {},
): ModelRequest {
  return { n: 1, dialect: 'anthropic', body: { messages, tools }, receivedAt: 0, ...rest } as ModelRequest;
}

/** What is known of a program that has made these requests, the first of them in its conversation. */
export const knownBy = (request: ModelRequest, ...others: readonly ModelRequest[]): Acquaintance | undefined =>
  acquaint([request, ...others], ['q begin'], (one) => one === request);

/** A stage of which only these parts are there. */
export function fakeStage(parts: object): Stage {
  return parts as unknown as Stage;
}

/** An agent over lines of text that asks once per line and says what it was answered; deaf to SIGINT if it is told so. */
export const lineAgent = `
process.on('SIGINT', () => console.log('interrupted'));
const tools = [{ name: 'bash', input_schema: ${JSON.stringify(schema)} }];
const messages = [];
require('node:readline').createInterface({ input: process.stdin }).on('line', async (content) => {
  messages.push({ role: 'user', content });
  const body = JSON.stringify({ model: 'm', max_tokens: 9, messages, tools });
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body });
  const answer = await response.json();
  messages.push({ role: 'assistant', content: answer.content });
  console.log(answer.content[0].text);
}).on('close', () => process.exit(0));
console.log('ready');
`;
