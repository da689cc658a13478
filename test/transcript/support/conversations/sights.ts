/**
 * What a judge sees of a transcript: its calls, their answers, and where the one cannot belong to the other any more. Apart
 * from what writes transcripts, and from what repairs them.
 *
 * @module
 */

/** A message of any dialect. */
export type Json = Readonly<Record<string, unknown>>;

/** One thing that is seen. */
export type Sight =
  | { readonly call: { readonly id: unknown; readonly content: unknown } }
  | { readonly answer: { readonly id: unknown; readonly content: unknown } }
  | 'border';

type See = (messages: readonly Json[]) => readonly Sight[];

/** The objects of a list; none of what is no list. */
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** In dialects whose results are messages of their own: the results of one reply follow it. */
function afterReplies(idOfResult: string, contentOfCall: string): See {
  return (messages) =>
    messages.flatMap((one): Sight[] => {
      if (one['role'] === 'tool') return [{ answer: { id: one[idOfResult], content: one['content'] } }];
      const calls = list(one['tool_calls']);
      return ['border', ...calls.map((call) => ({ call: { id: call['id'], content: call[contentOfCall] } }))];
    });
}

/** In lists of items nothing ends the place of a result. */
function anywhere(id: string, result: string): See {
  return (messages) =>
    messages.flatMap((one): Sight[] => {
      if (one['type'] === 'function_call') return [{ call: { id: one[id], content: one['arguments'] } }];
      return one['type'] === result ? [{ answer: { id: one[id], content: one['output'] } }] : [];
    });
}

const seeAnthropic: See = (messages) =>
  messages.flatMap((one, at): Sight[] => {
    const blocks = list(one['content']);
    if (one['role'] !== 'assistant') {
      const answers = blocks.filter(({ type }) => type === 'tool_result');
      return [
        ...answers.map((block) => ({ answer: { id: block['tool_use_id'], content: block['content'] } })),
        'border',
      ];
    }
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    return [
      ...(messages[at - 1]?.['role'] === 'assistant' ? [] : ['border' as const]),
      ...calls.map((block) => ({ call: { id: block['id'], content: block['input'] } })),
    ];
  });

/** A result goes by its id, else by its tool's name and its order among those of that name. */
const seeOllama: See = (messages) => {
  let open: { place: string; name: unknown; id: unknown }[] = [];
  return messages.flatMap((one, at): Sight[] => {
    if (one['role'] === 'tool') {
      const sameId = open.findIndex(({ id }) => Boolean(id) && id === one['tool_call_id']);
      const i = sameId === -1 ? open.findIndex(({ name }) => name === one['tool_name']) : sameId;
      const [owner] = i === -1 ? [] : open.splice(i, 1);
      return [{ answer: { id: owner?.place, content: one['content'] } }];
    }
    const calls = list(one['tool_calls']);
    const bodyOf = (call: Json): Json => call['function'] as Json;
    open = calls.map((call, i) => ({
      place: `${String(at)}/${String(i)}`,
      name: bodyOf(call)['name'],
      id: call['id'],
    }));
    return ['border', ...calls.map((call, i) => ({ call: { id: open[i]?.place, content: bodyOf(call) } }))];
  });
};

/** The API goes by the order. */
const seeGemini: See = (messages) =>
  messages.flatMap((one): Sight[] => {
    const bodies = (name: string): unknown[] => list(one['parts']).flatMap((part) => part[name] ?? []);
    if (one['role'] === 'model') {
      return ['border', ...bodies('functionCall').map((content, id) => ({ call: { id, content } }))];
    }
    return [...bodies('functionResponse').map((content, id) => ({ answer: { id, content } })), 'border'];
  });

const seeModelMessages: See = (messages) =>
  messages.flatMap((one): Sight[] => {
    const parts = list(one['content']);
    if (one['role'] === 'tool') {
      return parts.map((part) => ({ answer: { id: part['toolCallId'], content: part['output'] } }));
    }
    const calls = parts.filter(({ type }) => type === 'tool-call');
    return ['border', ...calls.map((part) => ({ call: { id: part['toolCallId'], content: part['input'] } }))];
  });

const seeChat: See = (messages) =>
  messages.flatMap((one): Sight[] => {
    const calls = list(one['parts']).filter(({ type }) => String(type).includes('tool'));
    return calls.flatMap((part): Sight[] => [
      'border',
      { call: { id: part['toolCallId'], content: part['input'] } },
      { answer: { id: part['toolCallId'], content: part['output'] ?? part['errorText'] } },
    ]);
  });

/** By the names of the forms. */
export const sights: Readonly<Record<string, See>> = {
  anthropic: seeAnthropic,
  'openai-chat': afterReplies('tool_call_id', 'function'),
  'openai-responses': anywhere('call_id', 'function_call_output'),
  gemini: seeGemini,
  'ai-sdk': seeModelMessages,
  'ai-sdk-ui': seeChat,
  langchain: afterReplies('tool_call_id', 'args'),
  'openai-agents': anywhere('callId', 'function_call_result'),
  ollama: seeOllama,
};

/** Which answers each call of a transcript has; a call is known by the mark in its arguments. */
export function answersIn(seen: readonly Sight[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let batch: { id: unknown; answers: string[] }[] = [];
  for (const sight of seen) {
    if (sight === 'border') {
      batch = [];
    } else if ('call' in sight) {
      const answers: string[] = [];
      batch.push({ id: sight.call.id, answers });
      const mark = /call<(\d+)>/.exec(JSON.stringify(sight.call.content))?.[1];
      if (mark !== undefined) found.set(mark, answers);
    } else {
      const { id, content } = sight.answer;
      const owner = batch.findLast((call) => call.id === id);
      if (owner === undefined) throw new Error(`an answer to no call: ${String(id)}`);
      owner.answers.push(JSON.stringify(content));
    }
  }
  return found;
}
