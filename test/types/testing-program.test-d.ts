import { expectTypeOf, it } from 'vitest';

import {
  checkProgram,
  formatReport,
  type ProgramProfile,
  type ProgramReport,
} from '../../src/testing/program/index.ts';
import { probeProgram } from '../../src/testing/program/probe-program.ts';
import { readProfile } from '../../src/testing/program/profile-reading.ts';

it('checkProgram takes a profile and gives a report', () => {
  expectTypeOf(checkProgram({ command: ['agent'] })).toEqualTypeOf<Promise<ProgramReport>>();
  void checkProgram(
    { command: ['agent'], promises: ['batch'] },
    { only: ['stream'], runs: 1, onResult: () => undefined },
  );
  // @ts-expect-error a profile has a command
  void checkProgram({ name: 'agent' });
  // @ts-expect-error there is no such promise
  void checkProgram({ command: ['agent'], promises: ['miracles'] });
  // @ts-expect-error there is no such check
  void checkProgram({ command: ['agent'] }, { only: ['luck'] });
  expectTypeOf(readProfile({})).toEqualTypeOf<ProgramProfile>();
  expectTypeOf(formatReport).parameter(0).toEqualTypeOf<ProgramReport>();
});

it('probeProgram takes what node-pty is', () => {
  void import('@lydell/node-pty').then((terminals) => probeProgram({ command: ['agent'] }, { terminals }));
});
