/**
 * Whatever interrupted a conversation, its next request has to be accepted: a property over transcripts with the ids and the
 * results that real servers leave, for what an application has of its own, and for `repair`.
 */
import { checkTranscript, repair } from 'desist/transcript';
import { openaiChat, type OpenAIChatMessage } from 'desist/transcript/openai-chat';
import { transcript } from 'desist/testing/fast-check';
import fc from 'fast-check';

/** As much as is needed here of `ChatCompletionMessageParam` of `openai`, which will do as well. */
interface Message extends OpenAIChatMessage {
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}
type Prepare = (messages: Message[]) => Message[];

/** Checks the law for one way to prepare the next request. */
function check(prepare: Prepare): string {
  const law = fc.property(transcript<Message>(openaiChat, { tools: ['read'], cut: false }), (cut) => {
    const messages = prepare(cut);
    return checkTranscript(messages, { dialect: openaiChat }).length === 0;
  });
  const { failed, numRuns, counterexample } = fc.check(law, { seed: 35, numRuns: 500 });
  if (!failed) return `accepted, ${numRuns} of ${numRuns}`;
  const broken = checkTranscript(prepare(counterexample![0]), { dialect: openaiChat });
  return `refused with ${counterexample![0].length} messages – ${broken[0]?.what}`;
}

/** Each call that nobody answered is answered by its id, as it is often written. */
const ownRepair: Prepare = (messages) => {
  const answered = new Set(messages.map((one) => one.tool_call_id));
  return messages.flatMap((one) => {
    const open = one.tool_calls?.filter(({ id }) => !answered.has(id)) ?? [];
    return [one, ...open.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'stopped' }))];
  });
};

console.log(`as it is: ${check((messages) => messages)}`);
console.log(`own repair: ${check(ownRepair)}`);
console.log(`repaired: ${check((messages) => repair(messages, { dialect: openaiChat }).messages)}`);

// Output:
// as it is: refused with 3 messages – a call has no id or no name: read ()
// own repair: refused with 3 messages – a call has no id or no name: read ()
// repaired: accepted, 500 of 500
