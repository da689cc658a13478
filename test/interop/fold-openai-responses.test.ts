/**
 * Whole streams of the Responses API, with every kind of item and of delta that the SDK's types name: the fold keeps what
 * the SDK's own accumulator keeps, and cut after any event it holds a beginning of that.
 */
import { describe, expect, it } from 'vitest';
import { foldOpenAIResponses, type OpenAIResponsesReply } from '../../src/adapters/llm/index.ts';
import { majors } from './majors.ts';
import { isBeginningOf } from './support/streams.ts';

type Event = Readonly<Record<string, unknown>> & { readonly type: string };
interface Snapshot {
  readonly output: readonly object[];
}
type Accumulate = (event: Event, snapshot: Snapshot | undefined) => Snapshot;

const loaded = await Promise.all(
  majors.map(async (major) => {
    const path = 'openai/lib/responses/ResponseAccumulator';
    const { accumulateResponse } = await major.load<{ accumulateResponse: Accumulate }>(path);
    const accumulate: Accumulate = (event, snapshot) => {
      try {
        return accumulateResponse(event, snapshot);
      } catch (error) {
        // A major does not know every event of the next one.
        if (snapshot === undefined || !String(error).includes('Unhandled response stream event')) throw error;
        return snapshot;
      }
    };
    return { version: major.version('openai'), accumulate };
  }),
);

interface Item {
  /** What ends it. */
  readonly done: { readonly type: string; readonly id: string; readonly [field: string]: unknown };
  /** What it opens with, beside what it ends with. */
  readonly opening?: object;
  readonly events?: readonly Event[];
}

const cite = (url: string) => ({ type: 'url_citation', url, title: 't', start_index: 0, end_index: 5 });
const part = (text: string, ...annotations: object[]) => ({ type: 'output_text', text, annotations, logprobs: [] });
const delta = (what: string, piece: unknown, at: object = {}): Event => ({
  ...at,
  type: `response.${what}.delta`,
  delta: piece,
  logprobs: [],
});
const at = (content_index: number) => ({ content_index });

const items: readonly Item[] = [
  {
    done: {
      ...{ type: 'reasoning', id: 'rs_1', encrypted_content: 'seal' },
      summary: [{ type: 'summary_text', text: 'Hmm.' }],
      content: [{ type: 'reasoning_text', text: 'I think.' }],
    },
    opening: { summary: [], content: [], encrypted_content: null },
    events: [
      { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { type: 'summary_text', text: '' } },
      delta('reasoning_summary_text', 'Hmm.', { summary_index: 0 }),
      { type: 'response.content_part.added', content_index: 0, part: { type: 'reasoning_text', text: '' } },
      delta('reasoning_text', 'I ', at(0)),
      delta('reasoning_text', 'think.', at(0)),
      { type: 'response.content_part.done', content_index: 0, part: { type: 'reasoning_text', text: 'I think.' } },
    ],
  },
  {
    done: {
      ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', phase: 'commentary' },
      content: [part('Two words.', cite('a'), cite('b')), { type: 'refusal', refusal: 'Not more.' }],
    },
    opening: { status: 'in_progress', content: [] },
    events: [
      { type: 'response.content_part.added', content_index: 0, part: part('') },
      delta('output_text', 'Two ', at(0)),
      {
        ...{ type: 'response.output_text.annotation.added', content_index: 0, annotation_index: 0 },
        annotation: cite('a'),
      },
      delta('output_text', 'words.', at(0)),
      {
        ...{ type: 'response.output_text.annotation.added', content_index: 0, annotation_index: 1 },
        annotation: cite('b'),
      },
      { type: 'response.output_text.done', content_index: 0, text: 'Two words.', logprobs: [] },
      { type: 'response.content_part.done', content_index: 0, part: part('Two words.', cite('a'), cite('b')) },
      { type: 'response.content_part.added', content_index: 1, part: { type: 'refusal', refusal: '' } },
      delta('refusal', 'Not ', at(1)),
      delta('refusal', 'more.', at(1)),
      { type: 'response.refusal.done', content_index: 1, refusal: 'Not more.' },
      { type: 'response.content_part.done', content_index: 1, part: { type: 'refusal', refusal: 'Not more.' } },
    ],
  },
  { done: { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } } },
  { done: { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['q'], results: null } },
  {
    done: {
      ...{ type: 'code_interpreter_call', id: 'ci_1', status: 'completed', container_id: 'c', outputs: [] },
      code: 'print(1)',
    },
    opening: { status: 'in_progress', code: '' },
    events: [
      delta('code_interpreter_call_code', 'print'),
      delta('code_interpreter_call_code', '(1)'),
      { type: 'response.code_interpreter_call_code.done', code: 'print(1)' },
    ],
  },
  {
    done: { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'BBBB' },
    opening: { status: 'in_progress', result: null },
    events: [
      {
        type: 'response.image_generation_call.partial_image',
        ...{ partial_image_index: 0, partial_image_b64: 'AAAA', size: '1x1', quality: 'low', background: 'auto' },
        output_format: 'png',
      },
    ],
  },
  {
    done: { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools: [{ name: 'query', input_schema: {} }] },
    opening: { tools: [] },
  },
  {
    done: {
      ...{ type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'query', status: 'completed', output: '1' },
      arguments: '{"sql":"select 1"}',
    },
    opening: { status: 'in_progress', arguments: '', output: null },
    events: [
      delta('mcp_call_arguments', '{"sql":'),
      delta('mcp_call_arguments', '"select 1"}'),
      { type: 'response.mcp_call_arguments.done', arguments: '{"sql":"select 1"}' },
    ],
  },
  {
    done: {
      ...{ type: 'shell_call', id: 'sh_1', call_id: 'hosted', status: 'completed' },
      action: { commands: ['ls'], timeout_ms: null, max_output_length: null },
      environment: { type: 'container_reference', container_id: 'cntr_1' },
    },
  },
  {
    done: {
      ...{ type: 'shell_call_output', id: 'sho_1', call_id: 'hosted', status: 'completed', max_output_length: null },
      output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
    opening: { status: 'in_progress', output: [] },
    events: [delta('shell_call_output_content', { stdout: 'a' }, { command_index: 0 })],
  },
  { done: { type: 'compaction', id: 'cmp_1', encrypted_content: 'all that was said' } },
  { done: { type: 'program', id: 'prog_1', call_id: 'p', code: 'text(1)', fingerprint: 'F' } },
  { done: { type: 'program_output', id: 'po_1', call_id: 'p', result: '1', status: 'completed' } },
  {
    done: {
      ...{ type: 'tool_search_call', id: 'ts_1', call_id: null, execution: 'server', status: 'completed' },
      arguments: { query: 'q' },
    },
  },
  {
    done: {
      ...{ type: 'tool_search_output', id: 'tso_1', call_id: null, execution: 'server', status: 'completed' },
      tools: [],
    },
  },
  {
    done: {
      ...{ type: 'function_call', id: 'fc_1', call_id: 'f', name: 'read', status: 'completed' },
      caller: { type: 'program', caller_id: 'p' },
      arguments: '{"path":"a"}',
    },
    opening: { status: 'in_progress', arguments: '' },
    events: [
      delta('function_call_arguments', '{"path"'),
      delta('function_call_arguments', ':"a"}'),
      { type: 'response.function_call_arguments.done', name: 'read', arguments: '{"path":"a"}' },
    ],
  },
  {
    done: { type: 'custom_tool_call', id: 'ctc_1', call_id: 'u', name: 'sh', input: 'ls -l' },
    opening: { input: '' },
    events: [
      delta('custom_tool_call_input', 'ls '),
      delta('custom_tool_call_input', '-l'),
      { type: 'response.custom_tool_call_input.done', input: 'ls -l' },
    ],
  },
  {
    done: {
      ...{ type: 'shell_call', id: 'sh_2', call_id: 's', status: 'completed', environment: { type: 'local' } },
      action: { commands: ['ls -l'], timeout_ms: null, max_output_length: null },
    },
    opening: { status: 'in_progress', action: { commands: [], timeout_ms: null, max_output_length: null } },
    events: [
      { type: 'response.shell_call_command.added', command_index: 0, command: '' },
      delta('shell_call_command', 'ls ', { command_index: 0 }),
      delta('shell_call_command', '-l', { command_index: 0 }),
      { type: 'response.shell_call_command.done', command_index: 0, command: 'ls -l' },
    ],
  },
  {
    done: { type: 'local_shell_call', id: 'ls_1', call_id: 'l', status: 'completed', action: { command: ['ls'] } },
  },
  {
    done: {
      ...{ type: 'apply_patch_call', id: 'ap_1', call_id: 'a', status: 'completed' },
      operation: { type: 'create_file', path: 'x', diff: '+x' },
    },
  },
  {
    done: {
      ...{ type: 'computer_call', id: 'cu_1', call_id: 'c', status: 'completed', pending_safety_checks: [] },
      action: { type: 'screenshot' },
    },
  },
  {
    done: {
      ...{ type: 'tool_search_call', id: 'ts_2', call_id: 't', execution: 'client', status: 'completed' },
      arguments: { query: 'q' },
    },
  },
  { done: { type: 'mcp_approval_request', id: 'mcpr_1', name: 'send', arguments: '{}', server_label: 's' } },
  { done: { type: 'of_a_later_version', id: 'x_1', anything: { at: ['all'] } } },
];

function stream({ closes = true, lists = true } = {}): Event[] {
  const response = { id: 'resp_1', object: 'response', status: 'in_progress', output: [], output_text: '' };
  const usage = { input_tokens: 9, output_tokens: 900, total_tokens: 909 };
  const output = lists ? items.map(({ done }) => done) : [];
  return [
    { type: 'response.created', response },
    ...items.flatMap(({ done, opening = {}, events = [] }, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...done, ...opening } },
      ...events.map((event) => ({ ...event, output_index, item_id: done.id })),
      ...(closes ? [{ type: 'response.output_item.done', output_index, item: done }] : []),
    ]),
    { type: 'response.completed', response: { ...response, status: 'completed', output, usage } },
  ];
}

function fold(events: readonly Event[]): OpenAIResponsesReply {
  const state = foldOpenAIResponses();
  for (const event of events) state.add(event);
  return state.value;
}

const ours = ['f', 'u', 's', 'l', 'a', 'c', 't'];

describe.each([
  { what: 'a whole stream', events: stream() },
  { what: 'one whose end lists nothing', events: stream({ lists: false }) },
  { what: 'one whose items are closed by its end alone', events: stream({ closes: false }) },
])('$what', ({ events }) => {
  it.each(loaded)('is folded to what openai $version makes of it', ({ accumulate }) => {
    let snapshot: Snapshot | undefined;
    const last = events.at(-1) as Event;
    for (const event of events) {
      if (event !== last || (last['response'] as Snapshot).output.length > 0) snapshot = accumulate(event, snapshot);
    }
    const { message, calls, fragments, isComplete } = fold(events);
    expect(message).toEqual(snapshot?.output);
    expect(calls.map((call) => call.call_id)).toEqual(ours);
    expect([isComplete, fragments]).toEqual([true, []]);
  });

  it('S15 is a beginning of itself wherever it is cut', () => {
    // What says that an item is not whole differs between the two by its nature.
    const of = (message: OpenAIResponsesReply['message']) => message.map(({ status: _, ...rest }) => rest);
    const whole = of(fold(events).message);
    for (let cut = 0; cut < events.length; cut += 1) {
      const { message, calls, fragments } = fold(events.slice(0, cut));
      // A thought that nothing closed is left out, whatever came behind it.
      const ids = new Set(message.map(({ id }) => id));
      const theirs = whole.filter(({ id }) => ids.has(id));
      expect(isBeginningOf(of(message), theirs), `after ${String(cut)} events: ${JSON.stringify(message)}`).toBe(true);
      for (const { call_id } of calls) expect(ours).toContain(call_id);
      for (const { json } of fragments)
        expect(['{"path":"a"}', 'ls -l'].some((all) => all.startsWith(json))).toBe(true);
    }
  });

  it.each(loaded)('says of a text that was cut what openai $version says', ({ accumulate }) => {
    let snapshot: Snapshot | undefined;
    for (const [count, event] of events.entries()) {
      if (event === events.at(-1)) break;
      snapshot = accumulate(event, snapshot);
      const text = fold(events.slice(0, count + 1)).message.find(({ id }) => id === 'msg_1');
      const theirs = snapshot.output[1] as
        | { readonly content: readonly Readonly<Record<string, unknown>>[] }
        | undefined;
      // A part that says nothing yet is no part of a message that can be sent.
      const said = theirs?.content.filter(({ text: own, refusal }) => (own ?? refusal) !== '') ?? [];
      expect((text?.['content'] as object[] | undefined) ?? []).toEqual(said);
    }
  });
});
