import { expect, it } from 'vitest';

import { inputFor, shellToolIn, toolsOf } from '../../../../src/testing/model-server/reading/request-tools.ts';

const command = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const path = { type: 'object', properties: { path: { type: 'string' } } };
const bodyOf = (...tools: object[]) => ({ body: { tools } });

it.each([
  ['Anthropic', bodyOf({ name: 'read', input_schema: path }, { name: 'Bash', input_schema: command })],
  ['Chat Completions', bodyOf({ type: 'function', function: { name: 'Bash', parameters: command } })],
  ['the Responses API', bodyOf({ type: 'function', name: 'Bash', parameters: command })],
  [
    'Gemini',
    bodyOf({
      functionDeclarations: [
        { name: 'read', parameters: path },
        { name: 'Bash', parametersJsonSchema: command },
      ],
    }),
  ],
])('the shell tool is found as %s declares it', (_, request) => {
  const tool = shellToolIn(request);
  expect(tool?.name).toBe('Bash');
  expect(inputFor(tool!, 'ls')).toEqual({ command: 'ls' });
});

it('a shell tool is told from one that only sounds like it, and the likelier one is taken', () => {
  const find = (...tools: object[]) => shellToolIn(bodyOf(...tools))?.name;
  expect(find({ name: 'shell_history', input_schema: path })).toBeUndefined();
  expect(find({ name: 'translate', input_schema: { properties: { text: {} } } })).toBeUndefined();
  expect(find({ name: 'shell', input_schema: { properties: { text: {} } } })).toBe('shell');
  expect(
    find({ name: 'kill_command', input_schema: command }, { name: 'run_shell_command', input_schema: command }),
  ).toBe('run_shell_command');
});

it('an input has everything that the schema requires, of the kind that it names', () => {
  const properties = {
    cmd: { type: ['null', 'array'] },
    why: { type: 'STRING' },
    mode: { enum: ['safe', 'bold'] },
    limit: { anyOf: [{ type: 'null' }, { type: 'integer' }] },
    login: { type: 'boolean' },
    env: { type: 'object' },
    files: { type: 'array' },
    optional: { type: 'string' },
  };
  const required = ['why', 'mode', 'limit', 'login', 'env', 'files'];
  const tools = toolsOf(bodyOf({ name: 'exec_command', description: 'Runs.', parameters: { properties, required } }));
  expect(tools.map(({ description }) => description)).toEqual(['Runs.']);
  const rest = { why: 'check', mode: 'safe', limit: 120_000, login: false, env: {}, files: [] };
  expect(inputFor(tools[0]!, 'ls')).toEqual({ cmd: ['bash', '-c', 'ls'], ...rest });
  const several = { name: 'local_shell', description: '', schema: { properties: { commands: { type: 'array' } } } };
  expect(inputFor(several, 'ls')).toEqual({ commands: ['ls'] });
  expect(() => inputFor({ name: 'read', description: '', schema: path }, 'ls')).toThrow(
    'the tool read has no field for a command',
  );
});

it('a tool that is called run, and takes a cmd, runs commands', () => {
  const parameters = { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] };
  const body = { tools: [{ type: 'function', function: { name: 'run', parameters } }] };
  expect(shellToolIn({ body })?.name).toBe('run');
});
