/**
 * What a tool message says in the formats whose content is a text or a list of parts: of a value, and of several
 * results of one call.
 *
 * @module
 */
import { distinct, field, isRecord } from '../reading/fields.ts';
import { contentOf, failureText } from './answers.ts';
import type { Answer } from './values.ts';
import { partsText, valueText } from './values.ts';

/** A part that is a text. */
export interface TextPart {
  type: 'text';
  text: string;
}

/** What the result of a call that completed says: a list of text parts goes out as it is, everything else as text. */
export function completedContent(
  answer: Answer & { readonly status: 'completed' },
  wordFailure: (text: string) => string = (text) => text,
): string | TextPart[] {
  const { value, note } = answer;
  if (isTextParts(value)) return note === undefined ? [...value] : [...value, { type: 'text', text: note }];
  const content = contentOf(answer);
  if (content === undefined) return valueText(value);
  return content.isError ? wordFailure(failureText(content)) : partsText(content.parts);
}

function isTextParts(value: unknown): value is readonly TextPart[] {
  const isText = (part: unknown): boolean =>
    isRecord(part) && field(part, 'type') === 'text' && typeof field(part, 'text') === 'string';
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

/** What a result says whose content is neither a text nor a list of parts: the same as the value would from the ledger. */
export function textOfResult(content: unknown): string {
  return Array.isArray(content) || content === null ? '' : valueText(content);
}

/** Several contents of one call as one, in their order, each once: each is something the model was told. */
export function joinContents<P>(contents: readonly (string | readonly P[])[]): string | readonly (P | TextPart)[] {
  const several = distinct(contents);
  const [first = ''] = contents;
  if (several.length < 2) return first;
  const texts = several.filter((content) => typeof content === 'string');
  if (texts.length === several.length) return texts.filter((one) => one !== '').join('\n\n');
  return several.flatMap((one): readonly (P | TextPart)[] => {
    if (typeof one !== 'string') return one;
    return one === '' ? [] : [{ type: 'text', text: one }];
  });
}
