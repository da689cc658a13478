import { describe, expect, it } from 'vitest';

import { endSession } from '../../src/sessions/open-sessions.ts';
import { HostedSession } from '../../src/sessions/session.ts';
import type { EndOfHosting } from '../../src/sessions/stop-bus.ts';

describe('a session that is closed', () => {
  it.each([
    ['wrote it', () => Promise.resolve(true), true],
    ['could not write it', () => Promise.resolve(false), false],
    ['does not know', () => Promise.reject(new Error('closed')), false],
    ['is this process', undefined, true],
  ])('a session that is closed has ended when its bus %s', async (_, ended, isWritten) => {
    const session = new HostedSession('a', {}, () => Promise.resolve(true));
    const released: (EndOfHosting | undefined)[] = [];
    const tie = { release: (end?: EndOfHosting) => released.push(end), ...(ended && { ended }) };
    const end = await endSession({ session, tie }, 'shutdown', true);
    expect(end).toMatchObject({ session, isWritten, report: { abandoned: [] } });
    expect(released).toMatchObject([{ willRetry: true }]);
  });
});
