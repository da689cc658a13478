/**
 * Transcripts by hand of what the generators do not make: calls in a cut reply, programmatic calls, reasoning that lost
 * what it led to, values that no provider takes.
 *
 * @module
 */
import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { oddValues as makeOddValues } from '../../transcript/support/interrupted/odd-values.ts';
import { loopOf } from '../../transcript/support/conversations/forms.ts';
import type { FormWriter } from '../../transcript/support/conversations/writers.ts';
import { messageWriter } from '../../../src/transcript/index.ts';

/** A transcript, and rows for its calls. */
export interface HostileTranscript {
  readonly what: string;
  readonly messages: readonly object[];
  readonly outcomes?: readonly ToolOutcome[];
}

const oddValues = makeOddValues();
const reason = { kind: 'user', at: 0 };
const call = (mark: string, id: string | undefined) => ({ mark, id, name: 'read', isHalf: false });
const rowOf = (id: string, value: unknown): ToolOutcome => ({
  ...{ id, name: 'read', call: {}, ms: 1 },
  ...({ status: 'completed', value } as const),
});

/** What can be written down in every dialect. */
function everywhere({ dialect, round, reply: write }: FormWriter): readonly HostileTranscript[] {
  const prompt = round({ prompt: 'Go.', replies: [], results: [] }).slice(0, 1);
  const cutWith = (ids: readonly (string | undefined)[]): readonly object[] => {
    const loop = loopOf(dialect);
    if (loop === undefined) return [];
    const said = write({ text: 'text<cut>', calls: ids.map((id, i) => call(`9${String(i)}`, id)) });
    const partial = Array.isArray(said) ? { output: said } : said;
    return messageWriter(loop).reply({ status: 'interjected', partial, reason });
  };
  const ids = {
    'empty ids': ['', ''],
    'no ids': [undefined, undefined],
    'one id for two': ['x'.repeat(38), 'x'.repeat(38)],
    'ids too long': [`${'x'.repeat(90)}1`, `${'x'.repeat(90)}2`],
    'ids with odd characters': ['functions.read:0', '__proto__'],
  };
  const cuts = Object.entries(ids).flatMap(([what, given]): HostileTranscript[] => {
    const reply = { text: 'text<said>', calls: given.map((id, i) => call(`8${String(i)}`, id)) };
    return [
      { what: `a cut reply whose calls have ${what}`, messages: [...prompt, ...cutWith(given)] },
      {
        what: `a reply whose calls have ${what}, and no results`,
        messages: round({ prompt: 'Go.', replies: [reply], results: [] }),
      },
    ];
  });
  const calls = oddValues.map((_, i) => call(`7${String(i)}`, `odd_${String(i)}`));
  const batch = round({ prompt: 'Go.', replies: [{ text: 'text<odd>', calls }], results: [] });
  const values = oddValues.map((value, i) => rowOf(`odd_${String(i)}`, value));
  const errors = oddValues.map((error, i): ToolOutcome => ({
    ...{ id: `odd_${String(i)}`, name: 'read', call: {}, ms: 1 },
    ...({ status: 'failed', error } as const),
  }));
  return [
    ...cuts,
    { what: 'values that no provider takes', messages: batch, outcomes: values },
    { what: 'errors of every kind', messages: batch, outcomes: errors },
  ];
}

const ask = { role: 'user', content: 'Go.' };
const text = (words: string) => ({ type: 'text', text: words });

/** What only one dialect has. */
const own: Readonly<Record<string, readonly HostileTranscript[]>> = {
  anthropic: [
    {
      what: 'a programmatic call whose maker was cut',
      messages: [
        ask,
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: {} },
            {
              ...{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} },
              caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' },
            },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
        { role: 'assistant', content: 'So.' },
      ],
    },
    {
      what: 'signed reasoning over two messages, then reasoning that was cut',
      messages: [
        ask,
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: 'sig' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
        ask,
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: '' }] },
      ],
    },
    {
      what: 'blank texts, and a result behind words',
      messages: [
        ask,
        {
          role: 'assistant',
          content: [text(''), { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }],
        },
        { role: 'user', content: [text('And?'), { type: 'tool_result', tool_use_id: 'toolu_1', content: [text('')] }] },
      ],
    },
  ],
  'openai-responses': [
    {
      what: 'reasoning with a status, whose call was cut inside its arguments',
      messages: [
        ask,
        { type: 'reasoning', id: 'rs_1', summary: [], status: 'completed' },
        { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"a' },
      ],
    },
    {
      what: 'a search for tools, and a call that wants a picture',
      messages: [
        ask,
        { type: 'tool_search_call', execution: 'client', call_id: 'call_1', arguments: {}, status: 'completed' },
        {
          ...{ type: 'computer_call', id: 'cu_1', call_id: 'call_2', status: 'completed' },
          ...{ action: { type: 'screenshot' }, pending_safety_checks: [] },
        },
      ],
    },
  ],
  gemini: [
    {
      what: 'responses beside words, and arguments that are a text',
      messages: [
        { role: 'user', parts: [{ text: 'Go.' }] },
        { role: 'model', parts: [{ functionCall: { name: 'read', args: '{"n":1}' } }] },
        {
          role: 'user',
          parts: [{ text: 'And?' }, { functionResponse: { name: 'read', response: { output: 'ok' } } }],
        },
      ],
    },
  ],
  'ai-sdk': [
    {
      what: 'an output that the schema does not know',
      messages: [
        ask,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'content', value: 'x' } },
          ],
        },
      ],
    },
  ],
};

/** All of them for one dialect. */
export function hostileTranscripts(writer: FormWriter): readonly HostileTranscript[] {
  return [...everywhere(writer), ...(own[writer.name] ?? [])];
}
