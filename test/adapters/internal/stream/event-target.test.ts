import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { isEmitter, listenTo, requireEvent } from '../../../../src/adapters/internal/stream/event-target.ts';

class Old {
  readonly listeners = new Set<() => void>();
  addListener(_event: string, listener: () => void) {
    this.listeners.add(listener);
  }
  removeListener(_event: string, listener: () => void) {
    this.listeners.delete(listener);
  }
}

it.each([
  ['an EventTarget', new EventTarget(), (target: EventTarget) => target.dispatchEvent(new Event('x'))],
  ['an EventEmitter', new EventEmitter(), (target: EventEmitter) => target.emit('x')],
  ['an older pair', new Old(), (target: Old) => [...target.listeners].forEach((listener) => listener())],
] as [string, object, (target: never) => void][])('listens to %s and takes it back', (_what, target, emit) => {
  const heard = vi.fn();
  expect(isEmitter(target)).toBe(true);
  const unlisten = listenTo('target', target, 'x', heard);
  emit(target as never);
  unlisten();
  unlisten();
  emit(target as never);
  expect(heard).toHaveBeenCalledTimes(1);
});

it.each([null, undefined, 5, {}, { on: () => undefined }])('refuses %s', (target) => {
  expect(isEmitter(target)).toBe(false);
  expect(() => listenTo('target', target, 'x', () => undefined)).toThrow('target must be an EventTarget');
});

it('knows the name of an event', () => {
  const symbol = Symbol('x');
  expect([requireEvent('event', 'x'), requireEvent('event', symbol)]).toEqual(['x', symbol]);
  expect(() => requireEvent('event', 5)).toThrow('event must be a string or a symbol, got 5');
});
