/**
 * The programs of the rules' pages, with what they lean on: each is what its rule finds.
 *
 * @module
 */
import { readFileSync } from 'node:fs';

import type { RuleCases } from './harness.ts';

/** What a page's program leans on, and what becomes of it. */
interface Page {
  readonly before: string;
  readonly after?: string;
  readonly finds: string;
  /** What the suggestion puts in, and where. */
  readonly mend?: readonly [from: string, to: string];
}

const anthropic = "import Anthropic from '@anthropic-ai/sdk';\nconst client = new Anthropic();";

const pages: Readonly<Record<string, Page>> = {
  'pass-signal': {
    before: `${anthropic}
declare function search(question: string, options: { signal: AbortSignal }): Promise<string>;`,
    finds: 'lost',
    mend: ['}); // ESC', '}, { signal }); // ESC'],
  },
  'take-signal': {
    before: "import { tool } from 'ai';\nimport { z } from 'zod';",
    finds: 'leftOut',
    mend: ['({ urls }) =>', '({ urls }, { abortSignal }) =>'],
  },
  'rethrow-stops': {
    before: `${anthropic}
declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export async function turn(calls: string[], signal: AbortSignal) {
const [results, model, messages] = [[] as string[], 'm', [] as Anthropic.MessageParam[]];`,
    after: 'return next;\n}',
    finds: 'loop',
    mend: ['catch (error) {', 'catch (error) { signal.throwIfAborted();'],
  },
  'kill-the-tree': {
    before: "import { spawn } from 'node:child_process';\ndeclare const signal: AbortSignal;",
    finds: 'killed',
  },
  orphans: {
    before: "import { Client } from '@modelcontextprotocol/client';\ndeclare const client: Client;",
    finds: 'orphan',
  },
};

/** The program of a rule's page as a case. */
export function pageCase(rule: string): RuleCases['invalid'][number] {
  const page = pages[rule];
  const text = readFileSync(new URL(`../../docs/${rule}.md`, import.meta.url), 'utf8');
  const code = /^```ts fragment\n([^]*?)^```$/m.exec(text)?.[1];
  if (page === undefined || code === undefined) throw new Error(`no program for ${rule}`);
  const whole = `${page.before}\n${code}${page.after ?? ''}`;
  return {
    name: `the program of the page of ${rule}`,
    code: whole,
    finds: page.finds,
    mended: page.mend === undefined ? null : whole.replace(...page.mend),
  };
}
