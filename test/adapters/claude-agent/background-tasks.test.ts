import { expect, it } from 'vitest';

import { BackgroundTasks } from '../../../src/adapters/claude-agent/background-tasks.ts';
import { InterruptController } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

function stage() {
  const agent = new InterruptController({ clock: new VirtualClock() });
  const stopped: string[] = [];
  const tasks = new BackgroundTasks(agent, {
    stopTask: (id) => {
      stopped.push(id);
      return Promise.reject(new Error('no such task'));
    },
  });
  const events: string[] = [];
  agent.onEvent((event) => {
    if (event.type === 'background-started') events.push(`${event.name} started`);
    if (event.type === 'background-ended') events.push(`${event.name} ${event.status}`);
  });
  const list = (...given: readonly unknown[]): void => {
    tasks.follow({ type: 'system', subtype: 'background_tasks_changed', tasks: given });
  };
  const told = (status: string): void => {
    tasks.follow({ type: 'system', subtype: 'task_notification', task_id: 'a', status, summary: 'seen' });
  };
  return { agent, tasks, stopped, events, list, told };
}

const a = { task_id: 'a', task_type: 'local_bash', description: 'watch' };
const settled = () => new Promise(setImmediate);

it.each([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['stopped', 'failed'],
])('a task that is %s is background work that is %s', async (status, outcome) => {
  const { tasks, events, list, told } = stage();
  list(a, { task_id: 'x', description: 'clock', ambient: true });
  list(a);
  expect([tasks.has('a'), tasks.has('x')]).toEqual([true, false]);
  told(status);
  list();
  await settled();
  expect(events).toEqual(['watch started', `watch ${outcome}`]);
  expect(tasks.has('a')).toBe(false);
});

it('a task has a stop of its own, which is told once, and is over when it leaves the list', async () => {
  const { agent, events, stopped, list, told } = stage();
  list(a);
  const { settled: report } = agent.cancelAll('user');
  expect(stopped).toEqual(['a']);
  told('stopped');
  list();
  expect((await report).abandoned).toEqual([]);
  expect(events).toEqual(['watch started', 'watch cancelled']);
});

it('all tasks can be stopped at once, and end with their process', async () => {
  const { tasks, events, stopped, list } = stage();
  list(a, { task_id: 'b', description: '', task_type: 'local_agent' });
  tasks.cancel();
  expect(stopped).toEqual(['a', 'b']);
  tasks.ended(new Error('gone'));
  await settled();
  expect(events).toEqual(['watch started', 'local_agent started', 'watch cancelled', 'local_agent cancelled']);
});

it('the task of a call is stopped with that call alone', () => {
  const { tasks, stopped } = stage();
  tasks.follow({ type: 'system', subtype: 'task_started', task_id: 'a', tool_use_id: 'call' });
  tasks.stopOf('other');
  tasks.stopOf('call');
  expect(stopped).toEqual(['a']);
  tasks.follow({ type: 'system', subtype: 'task_notification', task_id: 'a', status: 'stopped' });
  tasks.stopOf('call');
  expect(stopped).toEqual(['a']);
});

it('a task of a closed agent is stopped at once', async () => {
  const { agent, stopped, list } = stage();
  await agent.close();
  list(a);
  expect(stopped).toEqual(['a']);
});
