import { describe, expect, it, vi } from 'vitest';

import { closeStreams, ignoreErrors } from '../../../../src/adapters/child-process/output/streams.ts';
import { FakeChild, turns } from '../fake-child.ts';

describe('ignoreErrors', () => {
  it('keeps a broken pipe from crashing the process, until the pipe is closed', async () => {
    const { stdin } = new FakeChild();
    const before = stdin.listenerCount('error');
    ignoreErrors(stdin);
    stdin.destroy(new Error('EPIPE'));
    await turns();
    expect(stdin.listenerCount('error')).toBe(before);
    expect(stdin.listenerCount('close')).toBe(0);
  });

  it('takes no stream for an answer', () => {
    expect(() => ignoreErrors(null)).not.toThrow();
  });
});

describe('closeStreams', () => {
  it('destroys all of them', () => {
    const child = new FakeChild();
    closeStreams(child, 'all');
    expect([child.stdin, child.stdout, child.stderr].map((stream) => stream.destroyed)).toEqual([true, true, true]);
  });

  it('reads the outputs on for who stays, without holding the process', async () => {
    const child = new FakeChild();
    const unref = vi.fn();
    Object.assign(child.stdout, { unref });
    closeStreams(child, 'input');
    expect([child.stdin, child.stdout, child.stderr].map((stream) => stream.destroyed)).toEqual([true, false, false]);
    expect(unref).toHaveBeenCalledOnce();
    child.stdout.write('x'.repeat(1_000_000));
    await turns();
    expect(child.stdout.readableLength).toBe(0);
  });

  it('leaves the pace to another reader', () => {
    const child = new FakeChild();
    child.stdout.on('readable', () => undefined);
    child.stderr.on('data', () => undefined).pause();
    closeStreams(child, 'input');
    expect([child.stdout.readableFlowing, child.stderr.readableFlowing]).toEqual([false, false]);
  });

  it('takes children without pipes', () => {
    expect(() => closeStreams({ stdin: null, stdout: null, stderr: null }, 'all')).not.toThrow();
  });
});
