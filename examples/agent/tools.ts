/** What the agent can do: run commands, now or in the background, work on files, ask a slow MCP server, delegate. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { OperationOutcome, Responder, SubagentOptions, ToolContext } from 'desist';
import { cancellableExec, type ProcessResult } from 'desist/child-process';
import { cancellableRequest } from 'desist/mcp';
import type { Call } from './chat-model.ts';

/** How a tool is described to the model. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly schema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, { readonly type: 'string' }>>;
    readonly required: string[];
  };
}

/** Something that a person must allow first; a stop withdraws it. */
export interface Question {
  readonly text: string;
  /** Cancelled with the call that asks. */
  readonly signal: AbortSignal;
  readonly respond: Responder<boolean>;
}

/** A sub-agent that hangs on the call that asked for it. */
export interface Helper extends Pick<SubagentOptions, 'onChildInterrupted'> {
  readonly name: string;
}

/** What the tools need of the program around them. */
export interface ToolWorld {
  readonly workspace: string;
  readonly mcp: Client;
  /** Runs a sub-agent on a task, hanging on the call. */
  readonly delegate: (task: string, context: ToolContext<Call>, helper: Helper) => Promise<string>;
  /** Starts something beside the turn, in an agent of its own. */
  readonly inBackground: (call: Call, context: ToolContext<Call>, run: Tool['run']) => void;
  /** Puts a question to a person. */
  readonly approve: (question: Question) => void;
}

export type Tool = ToolSpec & {
  readonly run: (input: Readonly<Record<string, unknown>>, context: ToolContext<Call>) => Promise<string>;
};

function text(input: Readonly<Record<string, unknown>>, name: string): string {
  const value = input[name];
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a non-empty text`);
  return value;
}

function spec(name: string, description: string, ...parameters: string[]): ToolSpec {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' as const }]));
  return { name, description, schema: { type: 'object', properties, required: parameters } };
}

/** A path inside the workspace, or an error that the model can read. */
function inside(workspace: string, path: string): string {
  const full = resolve(workspace, path);
  if (relative(workspace, full).startsWith('..')) throw new RangeError(`${path} is outside the workspace`);
  return full;
}

function processOutcome({ stoppedBy, survivors }: ProcessResult): OperationOutcome {
  if (survivors.length > 0) return 'abandoned';
  return stoppedBy === undefined ? 'completed' : 'cancelled';
}

function shell(world: ToolWorld): Tool {
  return {
    ...spec('shell', 'Runs a shell command in the workspace and returns its output.', 'command'),
    async run(input, { token, track, partial }) {
      const command = text(input, 'command');
      // Under a guardian: it ends the command also where nobody can, because this program was killed.
      const run = cancellableExec(command, { token, cwd: world.workspace, graceMs: 500, guardian: true });
      const name = `${command.slice(0, 30)} (pid ${run.pid ?? '?'})`;
      const result = await track({ kind: 'process', name, outcomeOf: processOutcome }, run);
      const output = `${result.stdout}${result.stderr}`;
      partial(output);
      // Stopped: say so the way the rest of the agent does.
      token.throwIfCancelled();
      return `exit code ${result.exitCode ?? result.signal}\n${output}`;
    },
  };
}

function readFileTool(world: ToolWorld): Tool {
  return {
    ...spec('read_file', 'Reads a text file of the workspace.', 'path'),
    run: (input, { signal }) => readFile(inside(world.workspace, text(input, 'path')), { encoding: 'utf8', signal }),
  };
}

function writeFileTool(world: ToolWorld): Tool {
  return {
    ...spec('write_file', 'Writes a text file of the workspace.', 'path', 'text'),
    run: (input, { commit }) =>
      // Half a file is worse than none: once begun it runs to its end.
      commit(async () => {
        const path = inside(world.workspace, text(input, 'path'));
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text(input, 'text'));
        return `wrote ${String(input['path'])}`;
      }),
  };
}

function removeFile(world: ToolWorld): Tool {
  return {
    ...spec('remove_file', 'Deletes a file of the workspace, if the person allows it.', 'path'),
    async run(input, { ask, signal, decline, commit }) {
      const name = text(input, 'path');
      const path = inside(world.workspace, name);
      // A stop is no answer: it rejects, and nobody said no.
      const isAllowed = await ask<boolean>((respond) => {
        world.approve({ text: `Delete ${name}?`, signal, respond });
      });
      if (!isAllowed) decline();
      return commit(async () => {
        await rm(path);
        return `deleted ${name}`;
      });
    },
  };
}

function background(world: ToolWorld): Tool {
  return {
    ...spec('background', 'Starts a long shell command and returns at once; it goes on after the turn.', 'command'),
    run(input, context) {
      const command = text(input, 'command');
      world.inBackground({ ...context.call, name: 'shell', input: { command } }, context, shell(world).run);
      return Promise.resolve('started');
    },
  };
}

function search(world: ToolWorld): Tool {
  return {
    ...spec('search', 'Searches a large index; takes its time.', 'query'),
    async run(input, { token, track }) {
      const params = { name: 'search', arguments: { query: text(input, 'query') } };
      const request = cancellableRequest(
        token,
        ({ signal, onprogress }) => world.mcp.callTool(params, undefined, { signal, onprogress }),
        { graceMs: 500, name: 'search' },
      );
      const result = await track({ kind: 'mcp', name: 'search' }, request);
      const content = result.content as readonly { readonly text?: string }[];
      return content.map((part) => part.text ?? '').join('\n');
    },
  };
}

/** Without its answer the work is not done: who stops the sub-agent stops the turn. */
function delegate(world: ToolWorld): Tool {
  return {
    ...spec('delegate', 'Gives a task to a sub-agent and returns its answer.', 'task'),
    run: (input, context) =>
      world.delegate(text(input, 'task'), context, { name: 'explore', onChildInterrupted: 'propagate' }),
  };
}

/** Nice to have: who stops the sub-agent stops nothing else. */
function consult(world: ToolWorld): Tool {
  return {
    ...spec('consult', 'Asks a sub-agent for a second opinion, which may fail to come.', 'question'),
    run: (input, context) =>
      world.delegate(text(input, 'question'), context, { name: 'reviewer', onChildInterrupted: 'contain' }),
  };
}

/** The tools of a sub-agent. */
export function createTools(world: ToolWorld): readonly Tool[] {
  return [shell(world), readFileTool(world), writeFileTool(world), removeFile(world), search(world)];
}

/** What only the main agent can do besides. */
export function createMainTools(world: ToolWorld): readonly Tool[] {
  return [delegate(world), consult(world), background(world)];
}
