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

/** What an agent came to, as the page shows it. */
export interface AgentColumn {
  readonly agent: string;
  /** Of each scenario, in the order of the rows; and last how many it has passed. */
  readonly marks: readonly string[];
  /** What failed, a line each. */
  readonly faults: readonly string[];
}

/** The column of an agent that was played. */
export function columnOf(verdicts: readonly PageVerdict[]): AgentColumn {
  const count = (status: PageVerdict['status']): number => verdicts.filter((each) => each.status === status).length;
  const passed = `${String(count('passed'))} of ${String(count('passed') + count('failed'))}`;
  const failed = verdicts.filter(({ status }) => status === 'failed');
  return {
    agent: verdicts[0]?.agent ?? '',
    marks: [...verdicts.map(({ status }) => signs[status]), passed],
    faults: failed.map(({ scenario, why }) => `- ${scenario}: ${quoted(why)}`),
  };
}

/** The column of an agent as it stands on the page. */
export function readColumn(page: string, agent: string): AgentColumn {
  const rows = [...page.matchAll(/^\| ((?:scenario|S\d+ |passed, ).*) \|$/gm)].map(([, row = '']) =>
    row.split(/(?<!\\) \| /),
  );
  const at = rows[0]?.indexOf(cell(agent)) ?? -1;
  if (at === -1) throw new Error(`the page has no column of ${agent}`);
  const list = page.split(`\n**${agent}**\n\n`)[1] ?? '';
  return {
    agent,
    marks: rows.slice(1).map((row) => row[at] ?? ''),
    faults: list
      .slice(0, Math.max(0, list.indexOf('\n\n')))
      .split('\n')
      .filter((line) => line !== ''),
  };
}

/** One row per scenario, one column per agent, in the order in which they are given. */
export function tableOf(scenarios: readonly PageVerdict[], agents: readonly AgentColumn[]): string {
  const titles = scenarios.map(({ scenario, title }) => `${scenario} ${cell(title)}`);
  const rows = [...titles, 'passed, of those that apply'].map(
    (title, at) => `| ${title} | ${agents.map(({ marks }) => marks[at] ?? '').join(' | ')} |`,
  );
  return [
    '<!-- prettier-ignore -->',
    `| scenario | ${agents.map(({ agent }) => cell(agent)).join(' | ')} |`,
    `| --- |${' --- |'.repeat(agents.length)}`,
    ...rows,
  ].join('\n');
}

/** What failed, agent by agent. */
export function faultsOf(agents: readonly AgentColumn[]): string {
  const lists = agents.flatMap(({ agent, faults }) =>
    faults.length === 0 ? [] : [[`**${agent}**`, '', ...faults].join('\n')],
  );
  return ['<!-- prettier-ignore-start -->', lists.join('\n\n'), '<!-- prettier-ignore-end -->'].join('\n\n');
}

/** The page with this text between the marks of that name. */
export function placeBetween(page: string, mark: string, text: string): string {
  const [start, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`the page has no ${start} … ${end}`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}
