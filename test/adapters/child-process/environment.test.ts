import { describe, expect, it } from 'vitest';

import { markedEnvironment, toolEnvironment } from '../../../src/adapters/child-process/environment.ts';

const quiet = { GIT_EDITOR: 'true', GIT_TERMINAL_PROMPT: '0', PAGER: 'cat' };

describe('toolEnvironment', () => {
  it('takes the parent environment, with settings that keep tools from waiting for a person', () => {
    const parent = { HOME: '/home/ada', PAGER: 'less', GIT_EDITOR: 'vim' };
    expect(toolEnvironment(undefined, 'm', parent)).toEqual({ HOME: '/home/ada', ...quiet, DESIST_RUN: 'm' });
  });

  it('keeps what the caller sets, replaces the rest of the parent as Node does', () => {
    expect(toolEnvironment({ PAGER: 'less', GIT_EDITOR: undefined }, 'm', { HOME: '/home/ada' })).toEqual({
      PAGER: 'less',
      GIT_EDITOR: undefined,
      GIT_TERMINAL_PROMPT: '0',
      DESIST_RUN: 'm',
    });
  });

  it('takes what an environment inherits, as Node does', () => {
    const layered = Object.assign(Object.create({ BASE: '1', PAGER: 'less' }) as NodeJS.ProcessEnv, { OWN: '2' });
    expect(toolEnvironment(layered, 'm', {})).toEqual({
      ...quiet,
      BASE: '1',
      PAGER: 'less',
      OWN: '2',
      DESIST_RUN: 'm',
    });
  });

  it('names the runs around this one too, so that a stop outside finds what an inner run started', () => {
    expect(toolEnvironment(undefined, 'inner', { DESIST_RUN: 'outer' })['DESIST_RUN']).toBe('outer,inner');
    expect(toolEnvironment({}, 'inner', { DESIST_RUN: 'a,b' })['DESIST_RUN']).toBe('a,b,inner');
    expect(toolEnvironment(undefined, 'm', { DESIST_RUN: '' })['DESIST_RUN']).toBe('m');
  });

  it('changes neither', () => {
    const [given, parent] = [Object.freeze({ A: '1' }), Object.freeze({ B: '2' })];
    toolEnvironment(given, 'm', parent);
    expect([given, parent]).toEqual([{ A: '1' }, { B: '2' }]);
  });
});

describe('a marker for what somebody else starts', () => {
  it('is another one each time', () => {
    expect(markedEnvironment()).not.toEqual(markedEnvironment());
    expect(Object.keys(markedEnvironment())).toEqual(['DESIST_RUN']);
  });
});
