/**
 * What stands in for the executable of the Claude Agent SDK: it speaks the SDK's protocol over stdio, and does what the
 * text of the prompt says. `talk` says words until it is interrupted; `use …` asks to be allowed a tool, and uses it;
 * `deaf` never hears an interrupt; everything else is answered at once. Each line that it hears stands in the file that
 * `HEARD` names.
 *
 * @module
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

type Line = Readonly<Record<string, unknown>>;
interface Heard {
  readonly type: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string };
  readonly response?: { readonly request_id: string; readonly response?: { readonly behavior: string } };
  readonly message?: { readonly content: string };
}

const ids = { session_id: 'session', uuid: '00000000-0000-4000-8000-000000000000', parent_tool_use_id: null };
const send = (line: Line): void => void process.stdout.write(`${JSON.stringify({ ...ids, ...line })}\n`);
const note = (what: string): void => {
  appendFileSync(process.env['HEARD'] ?? '', `${what}\n`);
};

const message = (...content: readonly Line[]): Line => ({ id: 'msg', type: 'message', role: 'assistant', content });
const say = (text: string, more: Line = {}): void => {
  const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
  send({ type: 'stream_event', event, ...more });
};
const end = (subtype: string, more: Line): void => {
  send({ type: 'result', subtype, is_error: subtype !== 'success', num_turns: 1, permission_denials: [], ...more });
};
const answer = (text: string): void => {
  say(text);
  send({ type: 'assistant', message: message({ type: 'text', text }) });
  end('success', { result: text });
};

/** What an interrupt ends; nothing while nothing runs. */
let interrupt: (() => void) | undefined;
let allowed: ((isAllowed: boolean) => void) | undefined;

function talk(): void {
  let words = 0;
  // What a sub-agent says to itself is nothing that this agent said.
  say('inner ', { parent_tool_use_id: 'call_9' });
  const timer = setInterval(() => {
    say(`word${String(words++)} `);
  }, 20);
  interrupt = () => {
    clearInterval(timer);
    end('error_during_execution', { errors: ['Request was aborted.'] });
  };
}

function useTool(name: string): void {
  const input = { path: 'a.txt' };
  const lines = [
    { type: 'assistant', message: message({ type: 'tool_use', id: 'call_1', name, input }) },
    {
      type: 'control_request',
      request_id: 'ask_1',
      request: { subtype: 'can_use_tool', tool_name: name, input, tool_use_id: 'call_1' },
    },
  ];
  // `early`: the question overtakes the call that it is about.
  for (const line of name === 'early' ? lines.reverse() : lines) send(line);
  const result = (content: string, isError: boolean): void => {
    const block = { type: 'tool_result', tool_use_id: 'call_1', content, is_error: isError };
    send({ type: 'user', message: { role: 'user', content: [block] } });
  };
  let isOver = false;
  const stopped = (): void => {
    if (isOver) return;
    isOver = true;
    result('Interrupted by the user', true);
    end('error_during_execution', { errors: ['Request was aborted.'] });
  };
  interrupt = stopped;
  allowed = (isAllowed) => {
    if (isOver) return;
    if (!isAllowed) {
      result('Denied by the user', true);
      answer('Not done.');
      return;
    }
    note(`ran ${name}`);
    result('done', false);
    answer('All done.');
  };
}

createInterface({ input: process.stdin }).on('line', (text) => {
  const heard = JSON.parse(text) as Heard;
  if (heard.type === 'control_request') {
    const subtype = heard.request?.subtype ?? '';
    note(subtype);
    send({
      type: 'control_response',
      response: { subtype: 'success', request_id: heard.request_id, response: { commands: [], models: [] } },
    });
    if (subtype === 'interrupt') interrupt?.();
  } else if (heard.type === 'control_response') {
    note(`permission: ${heard.response?.response?.behavior ?? ''}`);
    allowed?.(heard.response?.response?.behavior === 'allow');
  } else if (heard.type === 'user') {
    const prompt = heard.message?.content ?? '';
    note(`prompt: ${prompt}`);
    [interrupt, allowed] = [undefined, undefined];
    if (prompt === 'talk') talk();
    else if (prompt.startsWith('use ')) useTool(prompt.slice(4));
    else if (prompt === 'deaf') say('I hear nothing');
    else answer(`Heard: ${prompt}`);
  }
});
