import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { demoFolder, runDemo, type DemoOptions, type DemoResult } from './support/demo-run.ts';
import { failedChecks } from './support/demo-tour.ts';
import { limitMs } from '../support/limit.ts';

/** Inside the package, so that the copy finds it by its own name; where no other tool looks. */
const artifacts = fileURLToPath(new URL('../../.artifacts/', import.meta.url));

let folder: string;

beforeEach(async () => {
  await mkdir(artifacts, { recursive: true });
  folder = await mkdtemp(join(artifacts, 'broken-demo-'));
  await cp(demoFolder, folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Plays the tour with one thing of the demo replaced. */
async function playBroken(
  file: string,
  found: string,
  replaced: string,
  options: DemoOptions = {},
): Promise<DemoResult> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  expect(text.split(found), `places in ${file} to break`).toHaveLength(2);
  await writeFile(
    path,
    text.replace(found, () => replaced),
  );
  const result = await runDemo([], { ...options, folder });
  expect(result.stderr).toBe('');
  expect(result.code).toBe(1);
  expect(result.stdout).toMatch(/\nNot every stop was complete\.\n$/);
  return result;
}

describe('the tour notices', { timeout: 120_000 }, () => {
  it('a shell tool that does not hear of the stop', async () => {
    const { stdout } = await playBroken('tools.ts', '(command, { token, cwd', '(command, { cwd');
    // The command outlives the tour, so every later stop names it as well.
    expect(failedChecks(stdout)).toEqual([
      'a stop during the shell tool: nothing is left running',
      'a stop during the shell tool: the processes P and Q are gone',
      'a stop during the MCP tool: nothing is left running',
      'a stop during the sub-agent: nothing is left running',
      'a stop of the sub-agent alone, which is needed: nothing is left running',
      'a stop during a question: nothing is left running',
      'a stop beside the background job: nothing is left running',
      'a stop of everything: nothing is left running',
    ]);
    expect(stdout).toMatch(/^── LEFT RUNNING: shell, sleep 61 .* \(pid \d+\)$/m);
  });

  it('an MCP request that does not hear of the stop', async () => {
    const server = join(folder, 'mcp-server.ts');
    const text = await readFile(server, 'utf8');
    expect(text).toContain('const STEPS = 50;');
    await writeFile(server, text.replace('const STEPS = 50;', 'const STEPS = 500;'));
    const { stdout } = await playBroken(
      'tools.ts',
      'cancellableRequest(\n        token,',
      'cancellableRequest(\n        undefined,',
    );
    // The search outlives the tour, so every later stop names it as well.
    expect(failedChecks(stdout)).toEqual([
      'a stop during the MCP tool: nothing is left running',
      'a stop during the sub-agent: nothing is left running',
      'a stop of the sub-agent alone, which is needed: nothing is left running',
      'a stop during a question: nothing is left running',
      'a stop beside the background job: nothing is left running',
      'a stop of everything: nothing is left running',
    ]);
    expect(stdout).toMatch(/^── LEFT RUNNING: search, search$/m);
  });

  it('a model that is asked once more after the stop', async () => {
    const oneMore = `budget: BUDGET,
    }).then(async (report) => {
      const messages: Message[] = [{ role: 'user', content: 'Something quick, please.' }];
      const request = { messages, tools: [], onText: () => {} };
      if (report.stop !== undefined) await this.#model.read(request, { token: undefined as never, partial: () => {} });
      return report;
    });
  }

  /** The model speaks`;
    const { stdout } = await playBroken(
      'session.ts',
      'budget: BUDGET,\n    });\n  }\n\n  /** The model speaks',
      oneMore,
    );
    expect(failedChecks(stdout)).toEqual([
      'a stop during the stream: the model was asked once and not again',
      'a stop during the shell tool: the model was asked once and not again',
      'a stop during the MCP tool: the model was asked once and not again',
      'a stop during the sub-agent: the model was asked 2 times and not again',
      'a stop of the sub-agent alone, which is needed: the model was asked 2 times and not again',
      'a stop during a question: the model was asked once and not again',
      'a stop beside the background job: the model was asked once and not again',
    ]);
  });

  it('a message that is passed on twice', async () => {
    const once = 'return this.agent.interject(line, options);';
    const { stdout } = await playBroken('session.ts', once, `this.agent.interject(line, options);\n    ${once}`);
    expect(failedChecks(stdout)).toEqual(['a message while a tool works: the conversation has it once']);
  });

  it('a sub-agent whose stop is kept from a turn that needs it', async () => {
    const { stdout } = await playBroken(
      'tools.ts',
      "onChildInterrupted: 'propagate'",
      "onChildInterrupted: 'contain'",
      {},
    );
    expect(failedChecks(stdout)).toEqual([
      'a stop of the sub-agent alone, which is needed: the stop was accepted and the turn is cancelled',
      'a stop of the sub-agent alone, which is needed: nothing is left running',
      'a stop of the sub-agent alone, which is needed: the model was asked 2 times and not again',
      'a stop of the sub-agent alone, which is needed: the reason names the sub-agent',
    ]);
  });

  it('a stop that is taken for a no', async () => {
    const { stdout } = await playBroken(
      'tools.ts',
      '        world.approve({ text: `Delete ${name}?`, signal, respond });\n      });',
      '        world.approve({ text: `Delete ${name}?`, signal, respond });\n      }).catch(() => false);',
    );
    expect(failedChecks(stdout)).toEqual(['a stop during a question: the model hears of no answer']);
  });

  it('a background job that is part of the turn', async () => {
    let ended = false;
    const { stdout } = await playBroken('background.ts', '{ detached: true }', '{ detached: false }', {
      onOutput: (text, { mark }) => {
        if (ended || !text.includes('→ background')) return;
        ended = true;
        // The turn waits for it, a minute if nobody ends it.
        void expect
          .poll(() => mark.alive(/^sleep 63$/), { timeout: limitMs(30_000) })
          .toHaveLength(1)
          .then(() => mark.killAll(/^sleep 63$/));
      },
    });
    expect(failedChecks(stdout)).toEqual([
      'a background job: the turn is over and the job runs',
      'a stop beside the background job: the job goes on',
      'a stop of everything: the stop was accepted, with no turn running',
    ]);
  });
});
