/**
 * Ollama's chat API, as a server writes it: a JSON object per line.
 *
 * @module
 */
import { endpoint, type PlannedAnswer, type Wire, type WireChunk } from './wire.ts';

type Fields = Readonly<Record<string, unknown>>;

function reply(answer: PlannedAnswer, message: Fields, end: Fields = { done: false }): Fields {
  const { model, createdAt } = answer;
  return {
    model,
    created_at: new Date(createdAt * 1000).toISOString(),
    message: { role: 'assistant', content: '', ...message },
    ...end,
  };
}

/** Counts, and times in nanoseconds, which nothing here can know. */
function ending(answer: PlannedAnswer): Fields {
  return {
    done: true,
    done_reason: answer.stopReason ?? 'stop',
    total_duration: 1,
    load_duration: 1,
    prompt_eval_count: answer.inputTokens,
    prompt_eval_duration: 1,
    eval_count: answer.outputTokens,
    eval_duration: 1,
  };
}

/** The calls, which are never cut into deltas. */
function calls(answer: PlannedAnswer): readonly Fields[] {
  return answer.toolCalls.map(({ id, name, input }, index) => ({
    id,
    function: { index, name, arguments: input ?? {} },
  }));
}

function* stream(answer: PlannedAnswer): Iterable<WireChunk> {
  const chunk = (message: Fields, end?: Fields): WireChunk => ({
    text: `${JSON.stringify(reply(answer, message, end))}\n`,
    isDelta: end === undefined,
  });
  const all = calls(answer);
  let next = 0;
  for (const { kind, block } of answer.parts) {
    if (kind === 'call') yield chunk({ tool_calls: all.slice(next, ++next) });
    else for (const piece of block.pieces) yield chunk(kind === 'text' ? { content: piece } : { thinking: piece });
  }
  yield chunk({}, ending(answer));
}

/** `POST /api/chat`. Ollama refuses no transcript: it answers whatever it is given. */
export const ollamaWire: Wire = {
  route: endpoint('/api/chat'),
  idPrefix: 'call_',
  refuse: (_body, model) => (model === undefined ? 'model is required' : undefined),
  stream,
  whole(answer) {
    const { thinking, text, toolCalls } = answer;
    const said = {
      content: text.whole,
      ...(thinking.whole === '' ? {} : { thinking: thinking.whole }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: calls(answer) }),
    };
    return reply(answer, said, ending(answer));
  },
  failure: (_status, message) => ({ error: message }),
};
