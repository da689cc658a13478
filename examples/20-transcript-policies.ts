/**
 * One line settles a turn with its report. The application says what an interrupted turn leaves: everything, everything
 * and a marker, or nothing – then the person gets the prompt back. Where the server holds the conversation, the same
 * call says what to submit.
 */
import { createReason } from 'desist';
import { settleTurn, type TurnPolicy } from 'desist/transcript';
import { openaiResponses as dialect, type OpenAIResponsesItem } from 'desist/transcript/openai-responses';

const reason = createReason({ kind: 'user', at: 0 });
const report = {
  status: 'cancelled',
  calls: [{ id: 'call_1', name: 'push', call: {}, ms: 0, status: 'not-started', reason }],
  partials: [],
  stop: { reason },
} as const;

const call = { type: 'function_call', call_id: 'call_1', name: 'push', arguments: '{}' };
const conversation: (OpenAIResponsesItem & { content?: string })[] = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi.' },
  { role: 'user', content: 'Push it.' },
  call,
];

for (const policy of ['keep', 'marker', 'drop-turn'] satisfies TurnPolicy[]) {
  const { messages, prompts } = settleTurn(conversation, report, { dialect, policy });
  console.log(
    `${policy}: ${String(messages.length)} items, given back:`,
    prompts.map(({ role }) => role).join() || 'none',
  );
}

const held = { responses: [{ id: 'resp_1', status: 'completed', output: [call] }] };
const { submit } = settleTurn(conversation, report, { dialect, held });
console.log('go on from', submit?.previous_response_id, 'with', submit?.input.map(({ type }) => type).join());

// Output:
// keep: 5 items, given back: none
// marker: 6 items, given back: none
// drop-turn: 2 items, given back: user
// go on from resp_1 with function_call_output
