import { describe, expect, it } from 'vitest';

import { lineageOf, newMarker, ownMarker, threadMarker } from '../../../../src/adapters/internal/process/run-marker.ts';

describe('a marker', () => {
  it('is another one each time', () => {
    expect(newMarker()).toMatch(/^[0-9a-f]{16}$/);
    expect(newMarker()).not.toBe(newMarker());
  });

  it('stands behind those of the runs around it', () => {
    expect(lineageOf('m', {})).toBe('m');
    expect(lineageOf('m', { DESIST_RUN: '' })).toBe('m');
    expect(lineageOf('m', { DESIST_RUN: 'a,b' })).toBe('a,b,m');
  });

  it('of a thread names process and thread', () => {
    expect(threadMarker(7)).toBe(`thread-${String(process.pid)}-7`);
  });

  it.each([
    ['A=1\0DESIST_RUN=x\0B=2', {}, 'x'],
    ['DESIST_RUN=outer,x', { DESIST_RUN: 'outer' }, 'x'],
    // Inherited from us: it would find us and all our children.
    ['DESIST_RUN=outer', { DESIST_RUN: 'outer' }, undefined],
    ['XDESIST_RUN=x', {}, undefined],
    ['DESIST_RUN=', {}, undefined],
    [undefined, {}, undefined],
  ])('is found again in %j below %j: %j', (environment, parent, marker) => {
    expect(ownMarker(environment, parent)).toBe(marker);
  });

  it('is found in what a process is started with, too', () => {
    expect(ownMarker({ DESIST_RUN: 'outer,mine' }, { DESIST_RUN: 'outer' })).toBe('mine');
    expect(ownMarker({ DESIST_RUN: 'outer' }, { DESIST_RUN: 'outer' })).toBeUndefined();
    expect(ownMarker({}, {})).toBeUndefined();
    expect(ownMarker(undefined, {})).toBeUndefined();
  });
});
