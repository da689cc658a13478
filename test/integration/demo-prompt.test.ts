import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openOutside, type Outside } from './support/demo-outside.ts';
import { runDemo } from './support/demo-run.ts';
import { limitMs } from '../support/limit.ts';

let outside: Outside;

beforeEach(async () => {
  outside = await openOutside();
});
afterEach(() => outside.close());

describe('one prompt to the demo', { timeout: 120_000 }, () => {
  it.each(['anthropic', 'openai'])('is answered by the embedded model where it is asked for: %s', async (provider) => {
    const args = ['--provider', provider, '--embedded', '--prompt', 'Something quick, please.'];
    const result = await runDemo(args, { env: outside.env });
    expect(result).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Here is a short answer\.\n+$/) as string,
      stderr: '',
      left: [],
      files: [],
    });
    expect(outside.requests).toEqual([]);
  });

  // Also the proof that nobody gets past the watch that the tour is under.
  it.each([
    ['anthropic', 'api.anthropic.com'],
    ['openai', 'api.openai.com'],
  ])('goes to the provider with a key: %s', async (provider, host) => {
    const { code, stdout, stderr, left } = await runDemo(['--provider', provider, '--prompt', 'Hello.'], {
      env: outside.env,
    });
    expect(outside.requests).toEqual([`CONNECT ${host}:443 HTTP/1.1`]);
    expect(stderr).toMatch(new RegExp(`^no model answers at https://${host}[^\\n]*\\n$`));
    expect({ code, stdout, left }).toEqual({ code: 2, stdout: '', left: [] });
  });

  it('is stopped by SIGINT with everything it had started', async () => {
    let pressed = false;
    const { code, stdout, stderr, left, files } = await runDemo(['--prompt', 'Please run the long job.'], {
      onOutput: (text, { mark, pid }) => {
        if (pressed || !text.includes('→ shell')) return;
        pressed = true;
        void expect
          .poll(() => mark.alive(/^sleep 6[12]$/), { timeout: limitMs(60_000) })
          .toHaveLength(2)
          .then(() => process.kill(pid, 'SIGINT'));
      },
    });
    expect(stdout).toMatch(/\n {3}process +sleep 61 .* main +cancelled +\d+\n/);
    expect(stdout).toMatch(/\n── 0 left running\n$/);
    expect({ code, stderr, left, files }).toEqual({ code: 130, stderr: '', left: [], files: [] });
  });
});
