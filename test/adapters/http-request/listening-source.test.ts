import { expect, it, vi } from 'vitest';
import { ListeningSource } from '../../../src/adapters/http-request/listening-source.ts';

it('stops listening once, however it ends', () => {
  for (const end of ['cancel', 'kill', 'release', Symbol.dispose] as const) {
    const unlisten = vi.fn();
    const source = new ListeningSource({});
    source.listen(() => unlisten);
    source[end]();
    source[end]();
    expect(unlisten, String(end)).toHaveBeenCalledTimes(1);
  }
});

it('does not listen when it is cancelled, nor keep what cancelled it at once', () => {
  const source = new ListeningSource({});
  const unlisten = vi.fn();
  source.listen(() => {
    source.cancel('user');
    return unlisten;
  });
  expect(unlisten).toHaveBeenCalledTimes(1);
  const listen = vi.fn();
  source.listen(listen);
  expect(listen).not.toHaveBeenCalled();
});
