/**
 * Reads what the tour printed.
 *
 * @module
 */

/** One stop of the tour, numbers aside. */
export interface Station {
  readonly title: string;
  /** Rows of the stop report: operation, agent, outcome. */
  readonly operations: readonly string[];
  /** Checks that held, and after `✗` those that did not. */
  readonly checks: readonly string[];
}

/** A row of the report: two spaces or more between its cells. */
function operation(line: string): string[] {
  const [kind = '', , agent = '', outcome = '', ms = ''] = line.trim().split(/ {2,}/);
  return /^\d+$/.test(ms) ? [`${kind} of ${agent}: ${outcome}`] : [];
}

function check(line: string): string[] {
  const [, mark = '', text = ''] = /^ +(✓|✗)(?: NOT TRUE:)? (.*)$/.exec(line) ?? [];
  const said = text.replace(/\d+ and \d+/, 'P and Q');
  return mark === '' ? [] : [mark === '✓' ? said : `✗ ${said}`];
}

export function readTour(output: string): Station[] {
  return output
    .split('\n▶ ')
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return { title, operations: lines.flatMap(operation), checks: lines.flatMap(check) };
    });
}

/** The checks that did not hold, with the place where. */
export function failedChecks(output: string): string[] {
  return readTour(output).flatMap(({ title, checks }) =>
    checks.filter((text) => text.startsWith('✗ ')).map((text) => `${title}: ${text.slice(2)}`),
  );
}
