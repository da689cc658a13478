/**
 * The door `desist/testing/program`: does an agent program stop? Checked from outside, whatever it is written in. The command line
 * `desist check` stands on it.
 *
 * @module desist/testing/program
 */
export { checkProgram, type CheckProgramOptions } from './check-program.ts';
export type { ProgramProfile } from './profile.ts';
export { formatReport } from './report/format-report.ts';
export type { ProgramReport } from './report/program-report.ts';
