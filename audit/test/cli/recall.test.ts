/**
 * The five places where one agent lost its stop: in calls of MCP, in every ordinary tool, in the tools of its sub-agents, in
 * those of its headless mode, and in one wrapper that all tools go through.
 */
import { expect, it } from 'vitest';

import { globals, plain, plant } from './planted.ts';

const types = `export interface Options { readonly abortSignal?: AbortSignal }
export type Handler = (args: object, options?: Options) => Promise<string>;
export interface Tool { execute(args: object, options: Options): Promise<string> }
export declare function tool(tool: Tool): Tool;
export declare function git(args: object, options?: Options): Promise<string>;
export declare function runTool(name: string, options?: Options): Promise<string>;
`;

const lost = {
  'mcp.ts': `import { tool, type Tool } from './types.js';
export class Mcp {
  readonly client: { callTool(call: object, schema?: undefined, options?: { signal?: AbortSignal }): Promise<string> };
  constructor(client: Mcp['client']) { this.client = client; }
  tool(name: string): Tool {
    return tool({ execute: async (args, _options) => await this.client.callTool({ name, args }) });
  }
}
`,
  'tools.ts': `import { git, tool } from './types.js';
export const log = tool({ execute: async (args) => await git(args) });
`,
  'subagent.ts': `import type { Handler } from './types.js';
export async function callIn(handler: Handler, args: object, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  return await handler(args);
}
`,
  'headless.ts': `import { runTool } from './types.js';
export async function runAll(names: readonly string[], abortSignal: AbortSignal): Promise<string[]> {
  const results: string[] = [];
  for (const name of names) {
    abortSignal.throwIfAborted();
    results.push(await runTool(name));
  }
  return results;
}
`,
  'wrapper.ts': `import type { Handler } from './types.js';
export function checked(handler: Handler, isGood: (args: object) => boolean): Handler {
  return async (args: object) => {
    if (!isGood(args)) throw new TypeError('bad arguments');
    return await handler(args);
  };
}
`,
};

/** What each file needs to lose nothing. */
const mends: Readonly<Record<keyof typeof lost, readonly (readonly [string, string])[]>> = {
  'mcp.ts': [
    ['_options', 'options'],
    ['{ name, args })', '{ name, args }, undefined, { signal: options.abortSignal })'],
  ],
  'tools.ts': [['async (args) => await git(args)', 'async (args, options) => await git(args, options)']],
  'subagent.ts': [['handler(args);', 'handler(args, { abortSignal: signal });']],
  'headless.ts': [['runTool(name)', 'runTool(name, { abortSignal })']],
  'wrapper.ts': [
    ['async (args: object) =>', 'async (args, options) =>'],
    ['handler(args)', 'handler(args, options)'],
  ],
};

it('all five losses of one agent are found, and each is silent where it is mended', () => {
  using planted = plant({ 'tsconfig.json': plain, 'globals.d.ts': globals, 'types.ts': types, ...lost });
  const places = (): string[] => {
    const { findings } = JSON.parse(planted.audit('--json').out) as { findings: { file: string; rule: string }[] };
    return findings.map(({ file, rule }) => `${file} ${rule}`);
  };
  const all = [
    'headless.ts pass-signal',
    'mcp.ts pass-signal',
    'mcp.ts take-signal',
    'subagent.ts pass-signal',
    'tools.ts take-signal',
    'wrapper.ts take-signal',
  ];
  expect(places().sort()).toEqual(all);
  let left = all;
  for (const [file, code] of Object.entries(lost) as [keyof typeof lost, string][]) {
    planted.write(
      file,
      mends[file].reduce((mended, [from, to]) => mended.replace(from, to), code),
    );
    left = left.filter((each) => !each.startsWith(file));
    expect(places().sort()).toEqual(left);
  }
});
