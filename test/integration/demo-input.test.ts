import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import { startModelServer } from '../../src/testing/model-server/index.ts';
import { runDemo } from './support/demo-run.ts';

let taken: Server | undefined;

afterEach(() => {
  taken?.close();
  taken = undefined;
});

async function takePort(): Promise<number> {
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  return (taken.address() as AddressInfo).port;
}

/** Runs the demo with what it cannot accept; returns the one line it says. */
async function refuses(code: number, args: readonly string[]): Promise<string> {
  const result = await runDemo(args);
  expect(result).toEqual({
    code,
    stdout: '',
    stderr: expect.stringMatching(/^[^\n]+\n$/) as string,
    left: [],
    files: [],
  });
  return result.stderr.trimEnd();
}

describe('bad input to the demo is one line', { timeout: 120_000 }, () => {
  it.each<[string[], string]>([
    [['--frobnicate'], "Unknown option '--frobnicate' (npm start -- --help)"],
    [['story'], "Unexpected argument 'story' (npm start -- --help)"],
    [['--provider', 'mistral'], '--provider must be anthropic or openai, got "mistral"'],
    [['--port', '99999'], '--port must be a number from 0 to 65535, got "99999"'],
    [['--port', 'http'], '--port must be a number from 0 to 65535, got "http"'],
    [['--port'], "Option '--port <value>' argument missing (npm start -- --help)"],
    [['--port', '-1'], "Option '--port' argument is ambiguous (npm start -- --help)"],
    [['--base-url', 'http://127.0.0.1:9'], 'this is no terminal: a real model needs one, or --prompt TEXT'],
    [
      ['--tour', '--base-url', 'http://127.0.0.1:9'],
      'the tour counts the requests of the embedded model: leave --base-url out',
    ],
    [
      ['--base-url', 'nonsense', '--prompt', 'hi'],
      '--base-url must be an address such as http://127.0.0.1:8080, got "nonsense"',
    ],
    [['--base-url', 'ftp://host', '--prompt', 'hi'], '--base-url must be http or https, got "ftp://host"'],
    [
      ['--base-url', 'https://model.invalid', '--prompt', 'hi'],
      'ANTHROPIC_API_KEY is not set, and https://model.invalid will ask for it',
    ],
    [
      ['--provider', 'openai', '--base-url', 'https://model.invalid', '--prompt', 'hi'],
      'OPENAI_API_KEY is not set, and https://model.invalid will ask for it',
    ],
    [
      ['--embedded', '--base-url', 'http://127.0.0.1:9', '--prompt', 'hi'],
      '--embedded and --base-url exclude each other',
    ],
  ])('%j', async (args, line) => {
    expect(await refuses(2, args)).toBe(line);
  });

  it('a port in use', async () => {
    const port = await takePort();
    const line = await refuses(2, ['--port', String(port)]);
    expect(line).toBe(`the embedded model cannot start on port ${port}: Port ${port} is in use`);
  });

  it('a base URL where nobody listens', async () => {
    const url = `http://127.0.0.1:${await takePort()}`;
    taken?.close();
    expect(await refuses(2, ['--base-url', url, '--prompt', 'hi'])).toBe(`no model answers at ${url} (ECONNREFUSED)`);
  });

  it.each(['anthropic', 'openai'])('a model that answers with an error: %s', async (provider) => {
    const server = await startModelServer({ script: [{ status: 500, message: 'The model is tired.' }] });
    try {
      const url = provider === 'openai' ? `${server.url}/v1` : server.url;
      const line = await refuses(1, ['--provider', provider, '--base-url', url, '--prompt', 'hi']);
      expect(line).toMatch(/^the turn failed: 500 .*The model is tired\./);
      expect(server.requests.map(({ status }) => status)).toEqual([500]);
    } finally {
      await server.close();
    }
  });
});
