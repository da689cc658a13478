/**
 * The calls that Gemini runs itself, in its contents: code, and the tools of its own.
 *
 * @module
 */
import { field, isRecord, textIn } from '../../reading/fields.ts';
import { hostedCalls, type HostedCalls, type HostedStep } from '../../reading/hosted-calls.ts';
import { askText, geminiTurns, isModel, partsOf, type GeminiContent } from './content.ts';

/** A result stands in the same reply, or in a later one of the turn. */
export const geminiHosted: HostedCalls<GeminiContent> = /* @__PURE__ */ hostedCalls({
  stepsIn: (content) => (isModel(content) ? partsOf(content).flatMap(stepOf) : []),
  without(content, lost) {
    const parts = partsOf(content).filter((part) => !lost.has(part));
    return parts.length === 0 ? undefined : { ...content, parts };
  },
  turns: geminiTurns,
  user: askText,
  resultIn: 'turn',
});

const forms = [
  ['executableCode', 'code', 'begun'],
  ['codeExecutionResult', 'code', 'ended'],
  ['toolCall', 'tool', 'begun'],
  ['toolResponse', 'tool', 'ended'],
] as const;

/** What a part says of such a call. */
export function stepOf(part: object): readonly HostedStep[] {
  return forms.flatMap(([form, what, kind]) => {
    const own = field(part, form);
    if (!isRecord(own)) return [];
    const name = what === 'code' ? 'code_execution' : textIn(field(own, 'toolType'));
    return { part, id: textIn(field(own, 'id')) ?? what, kind, name: name ?? what };
  });
}
