/**
 * A report as a table for people, and a probe in words.
 *
 * @module
 */
import { stripVTControlCharacters } from 'node:util';
import type { ProgramProbe } from '../probe-program.ts';
import type { CheckStatus } from '../stage/findings.ts';
import type { ProgramReport, SummedFinding } from './program-report.ts';

const marks: Readonly<Record<CheckStatus, string>> = {
  passed: '✓',
  noted: '·',
  failed: '✗',
  unplayed: '?',
  'not-applicable': '–',
};

/** Without what commands a terminal, or turns its words around: much of a report is the program's, and it may be hostile. */
const printable = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '');

/** The program, the versions and the date: what a report is about. */
export function headingOf(report: ProgramReport): string {
  const { program, version, dialect, shellTool, node, platform, date, slowness, isContained } = report;
  const spoken =
    dialect === undefined
      ? ''
      : ` · speaks ${dialect}${shellTool === undefined ? '' : `, runs commands in ${shellTool}`}`;
  const contained = isContained ? 'in namespaces of its own' : 'not contained';
  const slow = slowness >= 1.5 ? ` · limits × ${String(slowness)}` : '';
  return `${program}${version === undefined ? '' : ` (${version})`}${spoken}\n${date.slice(0, 10)} · Node ${node} · ${platform} · ${contained}${slow}`;
}

/** How often and how long. */
export function countsOf({ good, of, medianMs, worstMs }: SummedFinding): string {
  const runs = of > 1 ? `${String(good)} of ${String(of)} runs` : '';
  const times =
    medianMs === undefined
      ? ''
      : of > 1
        ? `median ${String(medianMs)} ms, worst ${String(worstMs)} ms`
        : `${String(medianMs)} ms`;
  return [runs, times].filter(Boolean).join(', ');
}

/**
 * Words a report for a terminal: a block per check, a line per finding.
 *
 * ✓ is as it should be, · a fact that no promise speaks of, ✗ a failure, ? could not be played to its end, – does not apply.
 *
 * @param report A report of {@link checkProgram}.
 * @returns Lines of text without colours.
 * @since 0.1.0
 */
export function formatReport(report: ProgramReport): string {
  const lines = [headingOf(report)];
  if (report.unchecked !== undefined) {
    lines.push(
      '',
      `Nothing could be checked: ${report.unchecked}`,
      '',
      'desist check --probe shows what arrived where.',
    );
  }
  for (const { name, status, asks, findings, runs } of report.checks) {
    lines.push('', `${marks[status]} ${name.padEnd(10)} ${asks}`);
    for (const finding of findings) {
      const counts = countsOf(finding);
      lines.push(`    ${marks[finding.status]} ${finding.sentence}${counts === '' ? '' : ` (${counts})`}`);
    }
    const broken = runs.filter(({ why }) => why !== '');
    const reasons = new Set(broken.map((run) => `${run.status === 'unplayed' ? marks.unplayed : '–'} ${run.why}`));
    for (const reason of reasons) lines.push(`    ${reason}`);
  }
  if (report.unchecked !== undefined) return printable(lines.join('\n'));
  const namesOf = (wanted: CheckStatus): readonly string[] =>
    report.checks.filter(({ status }) => status === wanted).map(({ name }) => name);
  const [failed, unplayed] = [namesOf('failed'), namesOf('unplayed')];
  const count = report.checks.length - namesOf('not-applicable').length;
  const sentences = [
    `${String(count)} of ${String(report.checks.length)} checks apply`,
    failed.length === 0 ? 'none failed' : `failed: ${failed.join(', ')}`,
    ...(unplayed.length === 0 ? [] : [`could not be played: ${unplayed.join(', ')}`]),
  ];
  lines.push('', sentences.join(', '));
  return printable(lines.join('\n'));
}

/**
 * Words a probe: what arrived, what did not, what the screen said.
 *
 * @param probe What {@link probeProgram} has seen.
 * @returns Lines of text.
 * @since 0.1.0
 */
export function formatProbe(probe: ProgramProbe): string {
  const { isReady, greeting, screen, requests, unknownRequests, exitCode } = probe;
  const asked = requests.map(({ dialect, tools, shell, refusal }) => {
    const declared = tools.length === 0 ? 'no tools' : `tools: ${tools.join(', ')}`;
    const refused = refusal === undefined ? '' : `; refused: ${refusal}`;
    return `  ${dialect}, ${declared}; ${shell === undefined ? 'none of them runs commands: name it in `shell` of a profile' : `commands run in ${shell}`}${refused}`;
  });
  const unknown = unknownRequests.map(({ method, path, status }) => `  ${method} ${path} – ${String(status)}`);
  const lines = [
    isReady ? 'It was ready.' : 'It was never ready: see `ready` and `setup` of a profile.',
    ...(exitCode === undefined ? [] : [`It ended with ${String(exitCode)}.`]),
    '',
    'Requests to the model:',
    ...(asked.length === 0 ? ['  none: see `env` and `files` of a profile'] : asked),
    ...(unknown.length === 0 ? [] : ['Requests to other paths:', ...unknown]),
    '',
    'The screen before the prompt:',
    greeting.replace(/^/gm, '  | '),
    'The screen now:',
    screen.replace(/^/gm, '  | '),
  ];
  return printable(lines.join('\n'));
}
