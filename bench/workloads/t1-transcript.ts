/** T1: a transcript settled in one pass, whatever its length. */
import { settleTranscript, type TranscriptDialect } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';
import { gemini } from 'desist/transcript/gemini';
import { openaiChat } from 'desist/transcript/openai-chat';
import { openaiResponses } from 'desist/transcript/openai-responses';
import { compare, keep, type Contender } from '../harness.ts';
import type { Row, Workload } from '../workload.ts';

/** One round of a conversation, four messages of it, with every tenth call left without its result. */
const rounds: { readonly [D in 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini']: (n: number) => object[] } =
  {
    anthropic: (n) => [
      { role: 'user', content: 'Go on.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: `c${n}`, name: 'read', input: { n } }] },
      {
        role: 'user',
        content: n % 10 === 0 ? 'Well?' : [{ type: 'tool_result', tool_use_id: `c${n}`, content: 'ok' }],
      },
      { role: 'assistant', content: `It is ${n}.` },
    ],
    'openai-chat': (n) => [
      { role: 'user', content: 'Go on.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `c${n}`, type: 'function', function: { name: 'read', arguments: `{"n":${n}}` } }],
      },
      n % 10 === 0 ? { role: 'user', content: 'Well?' } : { role: 'tool', tool_call_id: `c${n}`, content: 'ok' },
      { role: 'assistant', content: `It is ${n}.` },
    ],
    'openai-responses': (n) => [
      { role: 'user', content: 'Go on.' },
      { type: 'function_call', call_id: `c${n}`, name: 'read', arguments: `{"n":${n}}` },
      n % 10 === 0
        ? { role: 'user', content: 'Well?' }
        : { type: 'function_call_output', call_id: `c${n}`, output: 'ok' },
      { role: 'assistant', content: `It is ${n}.` },
    ],
    gemini: (n) => [
      { role: 'user', parts: [{ text: 'Go on.' }] },
      { role: 'model', parts: [{ functionCall: { name: 'read', args: { n } } }] },
      {
        role: 'user',
        parts: [n % 10 === 0 ? { text: 'Well?' } : { functionResponse: { name: 'read', response: { output: 'ok' } } }],
      },
      { role: 'model', parts: [{ text: `It is ${n}.` }] },
    ],
  };

const dialects = { anthropic, 'openai-chat': openaiChat, 'openai-responses': openaiResponses, gemini };

function settling(name: keyof typeof rounds, size: number): Contender {
  const dialect = dialects[name] as unknown as TranscriptDialect<object>;
  const messages = Array.from({ length: size / 4 }, (_, n) => rounds[name](n)).flat();
  return {
    run: (count) => {
      for (let i = 0; i < count; i++) keep(settleTranscript(messages, { dialect }).messages);
    },
  };
}

export const workload: Workload = {
  id: 'T1',
  title: 'A transcript settled in one pass: 1,000, 10,000 and 100,000 messages',
  async measure(effort) {
    const rows: Row[] = [];
    for (const dialect of Object.keys(rounds) as (keyof typeof rounds)[]) {
      const timings = await compare(effort, {
        thousand: settling(dialect, 1_000),
        tenThousand: settling(dialect, 10_000),
        hundredThousand: settling(dialect, 100_000),
      });
      rows.push(
        { what: `${dialect}: 10,000 messages`, value: timings.nanos('tenThousand') / 1e6, unit: 'ms' },
        {
          what: `${dialect}: a message of 10,000 / one of 1,000`,
          value: timings.ratio('tenThousand', 'thousand') / 10,
          unit: 'x',
          atMost: 2,
        },
        {
          what: `${dialect}: a message of 100,000 / one of 1,000`,
          value: timings.ratio('hundredThousand', 'thousand') / 100,
          unit: 'x',
          atMost: 3,
        },
      );
    }
    return rows;
  },
};
