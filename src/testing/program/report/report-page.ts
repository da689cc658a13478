/**
 * A report as one page of HTML without anything from elsewhere: a timeline per run, and the evidence behind it.
 *
 * @module
 */
import type { CheckStatus } from '../stage/findings.ts';
import type { TimelineEntry } from '../stage/timeline.ts';
import { countsOf, headingOf } from './format-report.ts';
import type { ProgramCheckResult, ProgramCheckRun, ProgramReport } from './program-report.ts';

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${String(character.codePointAt(0))};`);

const words: Readonly<Record<CheckStatus, string>> = {
  passed: 'passed',
  noted: 'noted',
  failed: 'failed',
  unplayed: 'could not be played',
  'not-applicable': 'does not apply',
};

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h2{margin:2rem 0 0}.status{font-size:.8rem;padding:.1rem .5rem;border-radius:1rem;background:#ddd}.failed{background:#f3c0bb}
.passed{background:#c5e8c9}.noted{background:#f6e5b0}p.why{color:#555;margin:.2rem 0}li.failed,li.noted,li.passed{background:none}
li.failed::marker{content:'✗ '}li.noted::marker{content:'· '}li.passed::marker{content:'✓ '}pre{background:#f4f4f4;padding:.6rem;overflow:auto}
.line{position:relative;height:1.6rem;border-bottom:1px solid #eee}.line b{position:absolute;top:.35rem;width:.6rem;height:.6rem;border-radius:50%;background:#888}
.line span{position:absolute;left:0;top:.1rem;font-size:.8rem;color:#777}.track{position:absolute;left:5rem;right:1rem;top:0;bottom:0}
.person b{background:#b3392c}.model b{background:#2c63b3}.program b{background:#2f7d3b}`;

const actors = ['person', 'model', 'program', 'system'] as const;

/** A row per actor, a dot per moment. */
function timelineOf(entries: readonly TimelineEntry[]): string {
  const end = Math.max(1, ...entries.map(({ atMs }) => atMs));
  const rows = actors.map((who) => {
    const dots = entries
      .filter((entry) => entry.who === who)
      .map(({ atMs, what }) => {
        const left = ((atMs / end) * 100).toFixed(2);
        return `<b style="left:${left}%" title="${escaped(`${String(atMs)} ms: ${what}`)}"></b>`;
      });
    return `<div class="line ${who}"><span>${who}</span><div class="track">${dots.join('')}</div></div>`;
  });
  const list = entries.map(({ atMs, who, what }) => `${String(atMs).padStart(7)} ms  ${who.padEnd(8)} ${what}`);
  return `${rows.join('')}<pre>${escaped(list.join('\n'))}</pre>`;
}

function runOf(run: ProgramCheckRun, index: number): string {
  const { why, words: told, before, after, screen, requests } = run;
  const processes = (rows: ProgramCheckRun['before']): string =>
    rows
      .map(({ pid, ppid, command }) => `${String(pid).padStart(8)} of ${String(ppid).padEnd(8)} ${command}`)
      .join('\n');
  const asked = requests.map(({ atMs, isMain, status, refusal, closedEarly }) => {
    const end = refusal ?? (closedEarly ? 'closed by the program' : '');
    return `${String(atMs).padStart(7)} ms  ${isMain ? 'conversation' : 'beside it   '}  ${String(status ?? '–')}  ${end}`;
  });
  const parts = [
    ['Requests', asked.join('\n')],
    ['What the next request tells the model', told.join('\n')],
    ['Processes before the stop', processes(before)],
    ['Processes at the end', processes(after)],
    ['The last lines of the screen', screen],
  ] as const;
  const evidence = parts
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `<h4>${title}</h4><pre>${escaped(text)}</pre>`);
  const summary = `Run ${String(index + 1)}: ${words[run.status]}${why === '' ? '' : ` – ${escaped(why)}`}`;
  return `<details><summary>${summary}</summary>${timelineOf(run.timeline)}${evidence.join('')}</details>`;
}

function checkOf({ name, status, asks, reason, findings, runs }: ProgramCheckResult): string {
  const items = findings.map((finding) => {
    const counts = countsOf(finding);
    return `<li class="${finding.status}">${escaped(finding.sentence)}${counts === '' ? '' : ` <small>${counts}</small>`}</li>`;
  });
  return `<section><h2>${name} <span class="status ${status}">${words[status]}</span></h2>
<p>${escaped(asks)}</p><p class="why">${escaped(reason)}</p><ul>${items.join('')}</ul>${runs.map(runOf).join('')}</section>`;
}

/**
 * Draws a report as one page: each check with its findings, and each run with its timeline and what was seen.
 *
 * @param report A report of {@link checkProgram}.
 * @returns HTML that loads nothing.
 * @since 0.1.0
 */
export function reportPage(report: ProgramReport): string {
  const unchecked = report.unchecked === undefined ? '' : `<pre>${escaped(report.unchecked)}</pre>`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Does ${escaped(report.program)} stop?</title>
<style>${style}</style>
<h1>Does ${escaped(report.program)} stop?</h1><p class="why">${escaped(headingOf(report)).replace('\n', '<br>')}</p>${unchecked}
${report.checks.map(checkOf).join('\n')}
</html>
`;
}
