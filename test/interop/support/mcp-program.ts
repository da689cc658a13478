/**
 * A program with a server on stdio: `mcp-program.ts version how tag`. It says "up" when the server is there, and ends when it
 * is told to. With `hoard` it has no file descriptor left and prints what became of two requests.
 *
 * @module
 */
import { openSync } from 'node:fs';

import { deafFromTheStart, keeperOf, rawServer } from './mcp-clients.ts';

const [versionText, how, tag = ''] = process.argv.slice(2);
const version = versionText === '1' ? 1 : 2;

if (how === 'hoard') {
  const good = rawServer("if (message.method === 'tools/call') say(message.id, { content: [] });");
  const [kept, late] = [keeperOf(version, good), keeperOf(version, good)];
  const ask = (keeper: typeof kept): Promise<unknown> =>
    keeper.request(null, (client, options) => client.tool('t', options));
  await ask(kept);
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch {
    // That was the last one.
  }
  const refused: unknown = await ask(late).catch((error: unknown) => (error as { code?: unknown }).code);
  console.log(JSON.stringify({ refused, kept: await ask(kept) }));
  await kept.close();
  await late.close();
} else {
  const daemon = `require('node:child_process').spawn('setsid', ['sleep', '${tag}'], { stdio: 'ignore' }); process.on('SIGTERM', () => undefined)`;
  const connects = rawServer(`if (message.method === 'tools/call') { ${daemon}; say(message.id, { content: [] }); }`);
  const keeper = keeperOf(version, how === 'initialize' ? deafFromTheStart(tag) : connects);
  const asked = keeper.request(null, (client, options) => client.tool('t', options));
  if (how === 'initialize') asked.catch(() => undefined);
  else await asked;
  console.log('up');
  process.stdin.once('data', () => process.exit());
}
