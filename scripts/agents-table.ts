/** The tables of `docs/agents.md`: which agent loop passes which scenario, and what the others did instead. */

/** What one scenario came to; as much of a verdict as the page shows. */
export interface PageVerdict {
  readonly agent: string;
  readonly scenario: string;
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'notApplicable';
  readonly why: string;
}

const signs = { passed: '✓', failed: '✗', notApplicable: '–' } as const;

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** A text from a program, so that none of it is read as Markdown, and without the limit of the machine that it ran on. */
function quoted(text: string): string {
  return cell(text)
    .replaceAll('`', "'")
    .replaceAll(/[<>]/g, '')
    .replaceAll(/waited [\d.]+ ms until/g, 'waited in vain until');
}

/** One row per scenario, one column per agent, in the order in which they are given. */
export function tableOf(agents: readonly (readonly PageVerdict[])[]): string {
  const [first = []] = agents;
  const names = agents.map(([verdict]) => verdict?.agent ?? '');
  const rows = first.map(({ scenario, title }) => {
    const marks = agents.map((verdicts) => {
      const verdict = verdicts.find((each) => each.scenario === scenario);
      return verdict === undefined ? '' : signs[verdict.status];
    });
    return `| ${scenario} ${cell(title)} | ${marks.join(' | ')} |`;
  });
  const passed = agents.map((verdicts) => {
    const count = (status: PageVerdict['status']): number => verdicts.filter((each) => each.status === status).length;
    return `${String(count('passed'))} of ${String(count('passed') + count('failed'))}`;
  });
  return [
    '<!-- prettier-ignore -->',
    `| scenario | ${names.map(cell).join(' | ')} |`,
    `| --- |${' --- |'.repeat(names.length)}`,
    ...rows,
    `| passed, of those that apply | ${passed.join(' | ')} |`,
  ].join('\n');
}

/** What failed, agent by agent. */
export function faultsOf(agents: readonly (readonly PageVerdict[])[]): string {
  const lists = agents.flatMap((verdicts) => {
    const failed = verdicts.filter(({ status }) => status === 'failed');
    const [first] = failed;
    if (first === undefined) return [];
    return [
      [`**${first.agent}**`, '', ...failed.map(({ scenario, why }) => `- ${scenario}: ${quoted(why)}`)].join('\n'),
    ];
  });
  return ['<!-- prettier-ignore-start -->', lists.join('\n\n'), '<!-- prettier-ignore-end -->'].join('\n\n');
}

/** The page with this text between the marks of that name. */
export function placeBetween(page: string, mark: string, text: string): string {
  const [start, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`the page has no ${start} … ${end}`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}
