/**
 * What stands in for the executable of the Claude Agent SDK: it speaks the SDK's protocol over stdio, and does what the
 * text of the prompt says. Each line that it hears stands in the file that `HEARD` names.
 *
 * - `talk` says words until it is interrupted, `slow` until somebody writes its last word; `deaf` hears no interrupt,
 * - `use a b` runs the tools one after the other, each of which is asked for and told before it begins; one that is called
 *   `free…` is not asked for, one that is called `long…` runs until it is interrupted,
 * - `agent` has a sub-agent that uses a tool; `task` leaves one in the background, which a change of the permission mode lets end: then the executable
 *   goes on by itself; `talk later` leaves a prompt in the queue; `crash` ends the process; `api error` is a result that is none; everything else is answered at once.
 *
 * `OLD` is an executable from before receipts.
 *
 * @module
 */
import { appendFileSync } from 'node:fs';
import { ask as askSdk, hooksIn, listen, queue, send, type Line } from './stdio.ts';

interface Answer {
  readonly behavior?: string;
  readonly message?: string;
  readonly hookSpecificOutput?: { readonly permissionDecision?: string; readonly permissionDecisionReason?: string };
}

const isOld = process.env['OLD'] !== undefined;
const note = (what: string): void => {
  appendFileSync(process.env['HEARD'] ?? '', `${what}\n`);
};

let running: { readonly text: string; readonly uuid: string | undefined } | undefined;
/** What an interrupt ends; nothing while nothing runs. */
let interrupt: (() => void) | undefined;
let hooks: readonly string[] = [];
/** Whether an interrupt spares what is in the background. */
let sparesTasks = false;
let hasTask = false;
let calls = 0;

const ask = (request: Line): Promise<Answer | undefined> => askSdk(request) as Promise<Answer | undefined>;

const step = (event: Line, more: Line = {}): void => {
  send({ type: 'stream_event', event, ...more });
};
const begin = (more?: Line): void => {
  step({ type: 'message_start', message: { role: 'assistant', content: [] } }, more);
};
const say = (text: string, more?: Line): void => {
  step({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, more);
};
const stop = (tokens: number, more?: Line): void => {
  step({ type: 'message_delta', delta: {}, usage: { output_tokens: tokens } }, more);
  step({ type: 'message_stop' }, more);
};
const message = (...content: readonly Line[]): Line => ({ id: 'msg', type: 'message', role: 'assistant', content });
const end = (subtype: string, more: Line): void => {
  const answered = isOld || running?.uuid === undefined ? {} : { user_message_uuid: running.uuid };
  const shared = { num_turns: 1, permission_denials: [], total_cost_usd: 0.25, ...answered };
  send({ type: 'result', subtype, is_error: subtype !== 'success', ...shared, ...more });
  running = undefined;
  interrupt = undefined;
  next();
};
const answer = (text: string): void => {
  begin();
  say(text);
  send({ type: 'assistant', message: message({ type: 'text', text }) });
  stop(7);
  end('success', { result: text });
};
const aborted = (): void => {
  end('error_during_execution', { errors: ['Request was aborted.'] });
};

function talk(text: string): void {
  let words = 0;
  begin();
  // What a sub-agent says to itself is nothing that this agent said.
  say('inner ', { parent_tool_use_id: 'call_9' });
  const timer = setInterval(() => {
    say(`word${String(words++)} `);
  }, 20);
  if (text === 'deaf') return;
  interrupt = () => {
    clearInterval(timer);
    aborted();
  };
}

/** Runs calls one after the other, as the executable does; gives whether they ran to their end. */
async function useTools(names: readonly string[], more: Line = {}): Promise<boolean> {
  const input = { path: 'a.txt' };
  const batch = names.map((name) => ({ type: 'tool_use', id: `call_${String(++calls)}`, name, input }));
  begin(more);
  for (const call of batch) {
    step({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: call.id } }, more);
    send({ type: 'assistant', message: message(call), ...more });
  }
  stop(5, more);
  const result = (id: string, content: string, isError: boolean): void => {
    const block = { type: 'tool_result', tool_use_id: id, content, is_error: isError };
    send({ type: 'user', message: { role: 'user', content: [block] }, ...more });
  };
  const state = { isOver: false };
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const open = new Set(batch.map(({ id }) => id));
  interrupt = () => {
    state.isOver = true;
    for (const id of open) result(id, 'The user doesn’t want to proceed with this tool use.', true);
    leave();
    aborted();
  };
  for (const { id, name } of batch) {
    const agent = typeof more['parent_tool_use_id'] === 'string' ? { agent_id: 'agent_1' } : {};
    const tool = { tool_name: name, tool_input: input, ...agent };
    for (const callback_id of hooks) {
      const hook = ask({ subtype: 'hook_callback', callback_id, tool_use_id: id, input: tool });
      const said = (await hook)?.hookSpecificOutput;
      if (state.isOver) return false;
      if (said?.permissionDecision !== 'deny') continue;
      note(`refused ${name}: ${said.permissionDecisionReason ?? ''}`);
      open.delete(id);
      result(id, 'Refused', true);
    }
    if (!open.has(id)) continue;
    if (!name.startsWith('free') && !name.startsWith('long')) {
      const given = await Promise.race([
        left,
        ask({ subtype: 'can_use_tool', tool_name: name, input, tool_use_id: id, ...agent }),
      ]);
      if (state.isOver) return false;
      note(`permission: ${given?.behavior ?? ''} ${given?.message ?? ''}`.trim());
      if (given?.behavior !== 'allow') {
        open.delete(id);
        result(id, given?.message ?? '', true);
        continue;
      }
    }
    note(`ran ${name}`);
    if (name.startsWith('long')) {
      await left;
      return false;
    }
    open.delete(id);
    result(id, 'done', false);
  }
  return true;
}

const task = { task_id: 'task_1', task_type: 'local_bash', description: 'watch' };
const tasks = (...list: readonly Line[]): void => {
  send({ type: 'system', subtype: 'background_tasks_changed', tasks: list });
};

async function act(text: string): Promise<void> {
  if (text === 'talk later') queue.push({ content: [{ text: 'later' }], uuid: crypto.randomUUID() });
  if (text.startsWith('talk') || text === 'deaf') {
    talk(text);
  } else if (text.startsWith('use ')) {
    if (await useTools(text.slice(4).split(' '))) answer('All done.');
  } else if (text === 'agent') {
    begin();
    const call = { type: 'tool_use', id: 'agent_call', name: 'Agent', input: {} };
    step({ type: 'content_block_start', index: 0, content_block: call });
    send({ type: 'assistant', message: message(call) });
    stop(5);
    const more = { parent_tool_use_id: 'agent_call' };
    if (!(await useTools(['freeRead'], more))) return;
    send({ type: 'assistant', message: message({ type: 'text', text: 'I have read it' }), ...more });
    const block = { type: 'tool_result', tool_use_id: 'agent_call', content: 'read', is_error: false };
    send({ type: 'user', message: { role: 'user', content: [block] } });
    answer('All done.');
  } else if (text === 'task') {
    hasTask = true;
    tasks(task);
    answer('It runs.');
  } else if (text === 'crash') {
    begin();
    say('half ');
    process.exit(1);
  } else if (text === 'api error') {
    end('success', { is_error: true, result: 'API Error: 529' });
  } else {
    answer(`Heard: ${running?.text ?? ''}`);
  }
}

/** A task has ended, and the model is told. */
function taskEnds(status: string): void {
  hasTask = false;
  note(`task ${status}`);
  send({ type: 'system', subtype: 'task_notification', task_id: 'task_1', status, summary: 'seen' });
  tasks();
  if (status !== 'completed' || running !== undefined) return;
  running = { text: 'task', uuid: undefined };
  talk('notified');
}

function next(): void {
  if (running !== undefined) return;
  const prompt = queue.shift();
  if (prompt === undefined) return;
  const text = prompt.content.map((part) => String(part['text'])).join('\n');
  running = { text, uuid: prompt.uuid };
  note(`prompt: ${text}`);
  void act(text.split('\n').at(-1) ?? '');
}

listen({
  isOld,
  control(request, answer) {
    const { subtype, cancel_queued: cancelsQueued = false, task_id } = request;
    note([subtype, ...(task_id === undefined ? [] : [task_id]), ...(cancelsQueued ? ['all'] : [])].join(' '));
    if (subtype === 'initialize') {
      hooks = hooksIn(request);
      sparesTasks = request.perTaskStopAffordance === true;
    }
    if (subtype === 'interrupt' && running?.text.endsWith('deaf') === true) return;
    answer();
    // An old one lists what waits, and takes its time.
    if (subtype === 'interrupt') setTimeout(() => interrupt?.(), isOld ? 100 : 0);
    if (subtype === 'interrupt' && hasTask && !sparesTasks) taskEnds('stopped');
    if (subtype === 'stop_task') taskEnds('stopped');
    // The test’s way to say that a task ends.
    if (subtype === 'set_permission_mode') taskEnds('completed');
  },
  prompted: next,
});
