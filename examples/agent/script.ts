/** What the embedded model says: slow enough to be stopped, and always the same. */
import type { ModelReply, ModelRequest, ScriptedToolCall } from 'desist/testing';

const story =
  'Once upon a time there was an agent that could be stopped. A person pressed a key, and it did not say ' +
  '"just a moment": the stream ended, the tools ended, and what they had started ended too. The person was ' +
  'surprised, for no other agent had ever done that, and pressed the key again to see whether it was true. It was. ';

/** Two grandchildren that would outlive their shell, and a note of who they are. */
const processTree = 'sleep 61 & echo $! >> pids; sleep 62 & echo $! >> pids; echo started; wait';

/** Says who it is and stays, long after the turn that started it. */
const watcher = 'echo $$ > background.pid; exec sleep 63';

const calls: Readonly<Record<string, ScriptedToolCall>> = {
  run: { name: 'shell', input: { command: processTree } },
  test: { name: 'shell', input: { command: 'sleep 1; echo 12 passed' } },
  background: { name: 'background', input: { command: watcher } },
  search: { name: 'search', input: { query: 'desist' } },
  read: { name: 'read_file', input: { path: 'notes.txt' } },
  write: { name: 'write_file', input: { path: 'notes.txt', text: 'Stop means stop.\n' } },
  remove: { name: 'remove_file', input: { path: 'notes.txt' } },
  delegate: { name: 'delegate', input: { task: 'explore: tell me everything' } },
  consult: { name: 'consult', input: { question: 'Is this plan right?' } },
};

const known = new RegExp(`\\b(${Object.keys(calls).join('|')})\\b`);

/** The last thing the person, or the agent above, said; `undefined` after a tool has answered. */
export function lastPrompt({ body }: ModelRequest): string | undefined {
  const last = (body['messages'] as readonly { readonly role: string; readonly content: unknown }[]).at(-1);
  if (last?.role !== 'user') return undefined;
  if (typeof last.content === 'string') return last.content;
  const blocks = last.content as readonly { readonly type: string; readonly text?: string }[];
  return blocks.findLast(({ type }) => type === 'text')?.text;
}

/** The words that `embeddedScript` knows. */
export const words: readonly string[] = [...Object.keys(calls), 'quick'];

/** Answers by the first word it knows; a story to everything else. */
export function embeddedScript(chunkMs: number): (request: ModelRequest) => ModelReply {
  return (request) => {
    const prompt = lastPrompt(request);
    if (prompt === undefined) return { text: 'The tool has answered; that is all.', chunkMs: 5 };
    const text = prompt.toLowerCase();
    if (text.includes('[priority user message]')) return { text: 'Understood, I adjust the plan.', chunkMs: 5 };
    if (text.includes('quick')) return { text: 'Here is a short answer.', chunkMs: 5 };
    const word = known.exec(text)?.[1];
    const call = word === undefined || text.startsWith('explore') ? undefined : calls[word];
    if (call !== undefined) return { text: `I call ${call.name}.`, toolCalls: [call], chunkMs: 5 };
    return { text: story.repeat(4), chunkMs };
  };
}
