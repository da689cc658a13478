/**
 * The Claude Agent SDK, stopped while it works with a task in the background. Alone an interrupt would kill the task; here it lives on,
 * with a stop of its own, and the next prompt tells the model what became of the stopped call.
 */
import { InterruptController } from 'desist';
import { openSession } from 'desist/claude-agent';
import { anthropic } from 'desist/transcript/anthropic';

type Prompt = { readonly message: { readonly content: readonly { readonly text?: string }[] } };
type Message = { readonly type: string; readonly subtype?: string; readonly [name: string]: unknown };

// Stands for `query` of the SDK, and for its executable.
const query = ({ prompt }: { prompt: AsyncIterable<never> }) => {
  const said: Message[] = [];
  let wake = () => {};
  const say = (...messages: Message[]) => {
    said.push(...messages);
    wake();
  };
  const use = { type: 'tool_use', id: 'call_1', name: 'Deploy', input: {} };
  const work = async () => {
    for await (const { message } of prompt as AsyncIterable<Prompt>) {
      const text = message.content.map((part) => part.text).join('\n');
      if (text !== 'ship it') {
        say({ type: 'result', subtype: 'success', result: `I read: ${text}` });
        continue;
      }
      const task = { task_id: 'task_1', description: 'npm run watch' };
      say({ type: 'system', subtype: 'background_tasks_changed', tasks: [task] });
      say({ type: 'assistant', message: { content: [use] } });
    }
  };
  void work();
  async function* messages(): AsyncGenerator<Message> {
    for (;;) {
      const next = said.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  const interrupt = async () => say({ type: 'result', subtype: 'error_during_execution', errors: ['aborted'] });
  const stopTask = async (id: string) => {
    console.log('stopped', id);
    say({ type: 'system', subtype: 'background_tasks_changed', tasks: [] });
  };
  return Object.assign(messages(), { interrupt, stopTask });
};

const agent = new InterruptController({ name: 'claude' });
agent.onEvent((event) => {
  if (event.type === 'background-started') setTimeout(() => agent.cancel('user'), 10);
});
const session = openSession(agent, query, { dialect: anthropic });

const stopped = await agent.runTurn((turn) => session.prompt(turn, 'ship it'));
console.log(
  stopped.status,
  stopped.calls.map(({ name, status }) => `${name}: ${status}`),
);

const next = await agent.runTurn((turn) => session.prompt(turn, 'and now?'));
console.log(next.unwrap()['result']);

const { operations } = await agent.cancelAll('user').settled;
console.log(operations.map(({ name, outcome }) => `${name}: ${outcome}`));

// Output:
// cancelled [ 'Deploy: not-started' ]
// I read: [Deploy: This call was not started, so nothing happened: the user cancelled. Do not retry it; wait for instructions.]
// and now?
// stopped task_1
// [ 'npm run watch: cancelled' ]
