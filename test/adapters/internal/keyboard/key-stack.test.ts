import { afterEach, describe, expect, it, vi } from 'vitest';

import { press } from '../../../../src/adapters/internal/keyboard/decoder/key-event.ts';
import { KeyStack } from '../../../../src/adapters/internal/keyboard/key-stack.ts';

const a = press('a');
const b = press('b');

describe('KeyStack', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('S1 asks the highest first, then the newest, until one says true', () => {
    const stack = new KeyStack();
    const asked: string[] = [];
    const ask = (name: string, mine: boolean) => () => {
      asked.push(name);
      return mine;
    };
    stack.handle(ask('idle', true), -100);
    stack.handle(ask('cancel', true), 0);
    stack.handle(ask('old popup', false), 50);
    stack.handle(ask('new popup', false), 50);
    stack.dispatch(a, 0);
    expect(asked).toEqual(['new popup', 'old popup', 'cancel']);
  });

  it('hands over the key and when it arrived', () => {
    const stack = new KeyStack();
    const handler = vi.fn();
    stack.handle(handler, 0);
    stack.dispatch(a, 42);
    expect(handler).toHaveBeenCalledExactlyOnceWith(a, 42);
  });

  it('takes only true for an answer', () => {
    const stack = new KeyStack();
    const below = vi.fn();
    stack.handle(below, 0);
    stack.handle(() => undefined, 1);
    stack.dispatch(a, 0);
    expect(below).toHaveBeenCalledOnce();
  });

  it('S2 goes on past a handler that throws, and reports it', () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const stack = new KeyStack();
    const below = vi.fn();
    stack.handle(below, 0);
    stack.handle(() => {
      throw new Error('popup broke');
    }, 1);
    stack.dispatch(a, 0);
    expect(below).toHaveBeenCalledOnce();
    expect(report).toHaveBeenCalledExactlyOnceWith(
      expect.any(String),
      expect.objectContaining({ message: 'popup broke' }),
    );
  });

  it('S3 finishes one key before the next', () => {
    const stack = new KeyStack();
    const seen: string[] = [];
    stack.handle((event) => {
      seen.push(`low ${event === a ? 'a' : 'b'}`);
    }, 0);
    stack.handle((event) => {
      seen.push(`high ${event === a ? 'a' : 'b'}`);
      if (event === a) stack.dispatch(b, 0);
    }, 1);
    stack.dispatch(a, 0);
    expect(seen).toEqual(['high a', 'low a', 'high b', 'low b']);
  });

  it('does not ask a handler that was taken off, even in the middle of a walk', () => {
    const stack = new KeyStack();
    const below = vi.fn();
    const registration = stack.handle(below, 0);
    stack.handle(() => {
      registration.release();
    }, 1);
    stack.dispatch(a, 0);
    stack.dispatch(a, 0);
    registration.release();
    expect(below).not.toHaveBeenCalled();
  });

  it('refuses what is no handler and no priority', () => {
    const stack = new KeyStack();
    expect(() => stack.handle('x' as never, 0)).toThrow(new TypeError('handler must be a function, got "x"'));
    expect(() => stack.handle(vi.fn(), Number.NaN)).toThrow(new TypeError('priority must be a number, got NaN'));
  });

  it('S4 asks for a key that is decided late what was there when it came: not what came up since, but what has gone since', () => {
    const stack = new KeyStack();
    const asked: string[] = [];
    const ask = (name: string, mine: boolean) => () => {
      asked.push(name);
      return mine;
    };
    const cancel = stack.handle(ask('cancel', true), 0);
    const popup = stack.handle(ask('popup', true), 50, true);
    const watcher = stack.handle(ask('watcher', false), Infinity);
    const arrival = stack.noteArrival(false, 7);
    popup.release();
    watcher.release();
    stack.handle(ask('question', true), 50, true);
    stack.handle(ask('new watcher', false), Infinity);
    stack.handle(() => asked.push(`at ${String(stack.arrival?.at)}`), 60);
    stack.dispatch(a, 0, arrival);
    expect(asked).toEqual(['new watcher', 'at 7', 'popup']);
    expect(stack.arrival).toBeUndefined();

    asked.length = 0;
    cancel.release(); // and the stop of now is asked, whichever that is
    stack.handle(ask('stop of now', true), 0, true);
    stack.dispatch(a, 0, { ...arrival, layers: [] });
    expect(asked).toEqual(['new watcher', 'at 7', 'stop of now']);
  });
});
