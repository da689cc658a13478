import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

import { calledNote, DEAF_TOOL, deafServerScript } from '../../../../src/testing/program/outside/deaf-mcp-server.ts';
import { folder } from '../support.ts';

it('a deaf MCP server lists its tool, and notes a call of it without an answer', async () => {
  const script = join(folder(), 'deaf.cjs');
  writeFileSync(script, deafServerScript);
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers: string[] = [];
  const lines = createInterface({ input: child.stdout }).on('line', (line) => answers.push(line));
  const methods = ['initialize', 'tools/list', 'tools/call', 'other', 'ping'];
  for (const [id, method] of methods.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { protocolVersion: '2025-06-18' } })}\n`);
  }
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/cancelled"}\n');
  child.stdin.end();
  await Promise.all([once(child, 'close'), once(lines, 'close')]);
  const parsed = answers.map(
    (line) => JSON.parse(line) as { id: number; result?: { tools?: { description: string }[] } },
  );
  expect(parsed.map(({ id }) => methods[id])).toEqual(['initialize', 'tools/list', 'other', 'ping']);
  expect(existsSync(calledNote(script))).toBe(true);
  expect(parsed[1]?.result?.tools?.map(({ description }) => description)).toEqual([DEAF_TOOL]);
});
