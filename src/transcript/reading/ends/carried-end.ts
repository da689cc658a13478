/**
 * How a reply ended where a framework keeps the words of whichever provider it called.
 *
 * @module
 */
import { field, isRecord, recordsIn, textIn } from '../fields.ts';

const names = ['stop_reason', 'finish_reason', 'done_reason', 'finishReason', 'stopReason'];

/** The first word of an end in these, each what a provider said or what a framework made of it. */
export function carriedEnd(carriers: readonly unknown[]): string | undefined {
  return carriers
    .filter(isRecord)
    .flatMap((one) => {
      const [choice = {}] = recordsIn(field(one, 'choices'));
      return [...names.flatMap((name) => [field(one, name), field(choice, name)]), responseEnd(one)];
    })
    .find((word): word is string => textIn(word) !== undefined);
}

/** What a response says of itself, or why it is no whole one; one whose last item was cut was cut there. */
export function responseEnd(value: object): unknown {
  const output = Array.isArray(value) ? value : field(value, 'output');
  const details = field(value, 'incomplete_details');
  const isResponse = output !== value && (Array.isArray(output) || details !== undefined);
  const said = (isRecord(details) && field(details, 'reason')) || (isResponse && field(value, 'status'));
  return said || (field(recordsIn(output).at(-1) ?? {}, 'status') === 'incomplete' && 'incomplete');
}
