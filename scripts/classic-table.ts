/** The table of `docs/classic.md`: one section for each system, made of the criteria whose tests have just passed. */

/** One criterion, as the table shows it. */
export interface CriterionRow {
  /** What the hand-made version could not do. */
  readonly gap: string;
  /** What the program does, in the words of its test. */
  readonly title: string;
  /** Whether the test was seen to fail with the gap planted back. */
  readonly isPlanted: boolean;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** The section of one system, its heading included. */
export function sectionOf(heading: string, rows: readonly CriterionRow[]): string {
  const lines = rows.map(
    ({ gap, title, isPlanted }) => `| ${cell(gap)} | ${cell(title)} | ${isPlanted ? 'yes' : '–'} |`,
  );
  return [
    `## ${heading}`,
    '',
    '<!-- prettier-ignore -->',
    '| the hand-made version | now, tested | fails with the gap |',
    '| --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** The page with this section in the place of the one with the same heading, or in its alphabetical place. */
export function placeSection(page: string, heading: string, section: string): string {
  const [intro = '', ...sections] = page.trimEnd().split(/\n(?=## )/);
  const others = sections.filter((other) => !other.startsWith(`## ${heading}\n`));
  const ordered = [...others, section].map((text) => text.trimEnd()).sort((a, b) => (a < b ? -1 : 1));
  return `${[intro.trimEnd(), ...ordered].join('\n\n')}\n`;
}
