/** The tables of `docs/which-door.md` and of the README: what a framework's loop does by itself, read off `docs/agents.md`. */

/** Which door a framework of that page has. */
interface Way {
  /** How the page names it, without the version. */
  readonly name: string;
  /** As a link of the page. */
  readonly door: string;
}

/** One for each framework of `docs/agents.md`; the page with another one is refused. */
const ways: readonly Way[] = [
  { name: 'ai', door: '[`desist/ai-sdk`](guides/ai-sdk.md)' },
  { name: '@openai/agents', door: '[`desist/openai-agents`](guides/openai-agents.md)' },
  { name: '@langchain/langgraph', door: '[`desist/langchain`](guides/langchain.md)' },
  { name: '@mastra/core', door: '[`desist/ai-sdk` and `desist/guard`](guides/mastra.md)' },
  { name: 'pi-agent-core', door: '[`desist/pi`](guides/pi.md)' },
  { name: 'claude-agent-sdk', door: '[`desist/claude-agent`](guides/claude-agent.md)' },
  { name: '@ag-ui/client', door: '[`desist/ag-ui`](guides/ag-ui.md)' },
];

/** What most people ask of a stop, as questions. */
const questions: Readonly<Record<string, string>> = {
  S01: 'a tool that ignores its signal does not hold it up',
  S02: 'the rest of a batch does not start',
  S09: 'it ends a delay before the next attempt',
  S15: 'the words of a cut reply are in the next request',
  S17: 'the next request has a result for each call',
  S45: 'the next request knows what was completed',
  S48: 'a result that comes late is told',
};

type Row = ReadonlyMap<string, string>;

/** The table of `docs/agents.md`: each scenario's marks by the agent. */
function marksOf(page: string): ReadonlyMap<string, Row> {
  const [head = '', , ...rows] = (page.split('<!-- agents -->')[1] ?? '')
    .split('<!-- /agents -->')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  const cells = (line: string): string[] => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim());
  const [, ...agents] = cells(head);
  return new Map(
    rows.map((line) => {
      const [name = '', ...marks] = cells(line);
      return [/^S\d+/.exec(name)?.[0] ?? name, new Map(agents.map((agent, at) => [agent, marks[at] ?? '']))];
    }),
  );
}

/** How many scenarios each passes, alone and with its door. */
function passedOf(
  marks: ReadonlyMap<string, Row>,
): readonly (readonly [agent: string, alone: string, guarded: string])[] {
  const passed = marks.get('passed, of those that apply') ?? new Map<string, string>();
  const agents = [...passed.keys()].filter((agent) => !agent.endsWith(', guarded') && agent !== 'examples/agent');
  return agents.map((agent) => [agent, passed.get(agent) ?? '', passed.get(`${agent}, guarded`) ?? '']);
}

/** The README's table. */
export function passedTable(page: string, [framework = '', alone = '', guarded = '']: readonly string[]): string {
  return [
    '<!-- prettier-ignore -->',
    `| ${framework} | ${alone} | ${guarded} |`,
    '| --- | --- | --- |',
    ...passedOf(marksOf(page)).map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

/** The tables, for the page of agents as it is. */
export function whichDoor(page: string): string {
  const marks = marksOf(page);
  const passed = passedOf(marks);
  const agents = passed.map(([agent]) => agent);
  const wayOf = (agent: string): Way => {
    const way = ways.find(({ name }) => agent.startsWith(`${name} `));
    if (way === undefined) throw new Error(`docs/which-door.md has no door for ${agent}`);
    return way;
  };
  const failedBy = (agent: string): string => {
    const failed = [...marks].filter(([, row]) => row.get(agent) === '✗').map(([scenario]) => scenario);
    return failed.length === 0 ? 'none' : failed.join(', ');
  };
  const doors = passed.map(
    ([agent, ...counts]) =>
      `| ${agent} | ${wayOf(agent).door} | ${counts.join(' | ')} | ${failedBy(`${agent}, guarded`)} |`,
  );
  const asked = Object.entries(questions).map(([scenario, question]) => {
    const row = marks.get(scenario);
    if (row === undefined) throw new Error(`docs/agents.md has no ${scenario}`);
    return `| ${scenario} ${question} | ${agents.map((agent) => row.get(agent) ?? '').join(' | ')} |`;
  });
  return [
    '<!-- prettier-ignore-start -->',
    '',
    '| framework | door | passed alone | passed with the door | failed with the door |',
    '| --- | --- | --- | --- | --- |',
    ...doors,
    '',
    'By itself, with the signal that it offers:',
    '',
    `| a stop | ${agents.join(' | ')} |`,
    `| --- |${' --- |'.repeat(agents.length)}`,
    ...asked,
    '',
    '<!-- prettier-ignore-end -->',
  ].join('\n');
}

/** The pages with these tables, and what stands between which marks. */
export function doorPages(page: string): readonly (readonly [path: string, table: string])[] {
  return [
    ['docs/which-door.md', whichDoor(page)],
    ['README.md', passedTable(page, ['framework', 'alone', 'with its door'])],
    ['README_zh.md', passedTable(page, ['框架', '单独', '配上它的入口'])],
  ];
}
