/**
 * The door `desist/testing/program`: does an agent program stop? Checked from outside, whatever it is written in. The command line
 * `desist check` stands on it.
 *
 * @module desist/testing/program
 */
export { checkProgram, type CheckProgramOptions } from './check-program.ts';
export type { ProgramCheckName } from './checks/check.ts';
export type { ProcessRow } from './outside/processes.ts';
export type { PseudoTerminal, PseudoTerminals } from './outside/pseudo-terminal.ts';
export { probeProgram, type ProbeProgramOptions, type ProgramProbe } from './probe-program.ts';
export { readProfile } from './profile-reading.ts';
export type { ProgramProfile, ProgramPromise } from './profile.ts';
export { formatProbe, formatReport } from './report/format-report.ts';
export type {
  ProgramCheckResult,
  ProgramCheckRun,
  ProgramReport,
  ReportedRequest,
  SummedFinding,
} from './report/program-report.ts';
export { reportPage } from './report/report-page.ts';
export type { CheckStatus, FindingName, ProgramFinding } from './stage/findings.ts';
export type { TimelineEntry } from './stage/timeline.ts';
