import { expect, it } from 'vitest';

import { probeProgram } from '../../../src/testing/program/probe-program.ts';
import { lineAgent } from './support.ts';

it.skipIf(process.platform === 'win32')(
  'a probe sees the request, its tools and the screen',
  { timeout: 60_000 },
  async () => {
    const probe = await probeProgram({
      command: [process.execPath, '-e', lineAgent],
      through: 'lines',
      ready: 'ready',
    });
    expect(probe).toMatchObject({ isReady: true, greeting: 'ready\n', unknownRequests: [], exitCode: undefined });
    expect(probe.requests).toEqual([{ dialect: 'anthropic', tools: ['bash'], shell: 'bash', refusal: undefined }]);
    expect(probe.screen).toContain('Hello.');
  },
);
