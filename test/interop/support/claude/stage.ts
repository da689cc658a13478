/** The real Claude Agent SDK under the door, with the scripted executable and what that has heard. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';

import { openSession, type SessionOptions } from '../../../../src/adapters/claude-agent/index.ts';
import { InterruptController, type RunTurnOptions } from '../../../../src/index.ts';
import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { majors } from '../../majors.ts';

type Sdk = typeof import('@anthropic-ai/claude-agent-sdk');
type Options = NonNullable<Parameters<Sdk['query']>[0]['options']>;

export const sdk = await majors[0]!.load<Sdk>('@anthropic-ai/claude-agent-sdk');
const executable = fileURLToPath(new URL('scripted-executable.ts', import.meta.url));

export interface ClaudeStageOptions extends Partial<
  Omit<SessionOptions<ReturnType<Sdk['query']>, Options>, 'options' | 'dialect'>
> {
  readonly canUseTool?: Options['canUseTool'];
  readonly options?: Options;
  readonly isOld?: boolean;
}

/** Every line of the options is the SDK's own. */
export function claudeOptions(folder: string, { isOld = false }: { readonly isOld?: boolean } = {}): Options {
  return {
    pathToClaudeCodeExecutable: executable,
    executable: process.execPath as 'node',
    env: { ...process.env, HEARD: join(folder, 'heard'), ...(isOld && { OLD: '1' }) },
  };
}

export function heardIn(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'heard'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

export function claudeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'desist-claude-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A session, and what there is to see of it. */
export function claudeStage({ canUseTool, options, isOld = false, onMessage, ...own }: ClaudeStageOptions = {}) {
  const folder = claudeFolder();
  const agent = new InterruptController({ name: 'main', graceMs: 20_000 });
  const read: string[] = [];
  const session = openSession(agent, sdk.query, {
    ...{ dialect: anthropic, graceMs: 20_000 },
    ...own,
    options: { ...claudeOptions(folder, { isOld }), ...(canUseTool && { canUseTool }), ...options },
    onMessage: (message) => {
      read.push(JSON.stringify(message));
      onMessage?.(message);
    },
  });
  onTestFinished(async () => {
    await session.close();
    await agent.close();
  });
  const heard = (): string[] => heardIn(folder);
  /** Resolves once the executable has heard a line, or the session has read something of it. */
  const until = async (where: 'heard' | 'read', what: string): Promise<void> => {
    await eventually(() => {
      expect((where === 'heard' ? heard() : read).join('\n')).toContain(what);
    });
  };
  const run = (prompt: string, given?: RunTurnOptions) =>
    agent.runTurn(async (turn) => (await session.prompt(turn, prompt)).result, given);
  return { agent, session, heard, until, run, read };
}

export const allow: Options['canUseTool'] = (_name, input) =>
  Promise.resolve({ behavior: 'allow', updatedInput: input });
