/**
 * A person types a message, stops the agent, and prompts again: nothing starts after the stop, every call has one
 * outcome, and the model is told once.
 */
import {
  InterruptController,
  delay,
  interruptedLine,
  interruptedNote,
  priorityMessage,
  type ModelContext,
} from 'desist';

const agent = new InterruptController({ name: 'main', graceMs: 20 });
agent.onEvent((event) => {
  if (event.type === 'interrupt-requested') console.log(`  ! ${event.agent}: ${event.kind} requested`);
  if (event.type === 'interrupt-propagated') console.log(`  ! ${event.agent}: reaches ${event.child}`);
  if (event.type === 'late-settled') console.log(`  ! ${event.name} has ended after all: ${event.status}`);
});

/** The model: a script of replies, each a text and the tools it wants. The person reacts to what they read. */
const script = [
  { text: 'I will install with npm', calls: [] },
  { text: 'With pnpm, then', calls: ['install', 'explore', 'index'] },
  { text: 'Sorry about that', calls: [] },
];
async function ask(messages: readonly string[], { token, partial }: ModelContext): Promise<(typeof script)[number]> {
  console.log(`model is asked, last message: ${messages.at(-1)}`);
  const reply = script.shift()!;
  partial(reply.text);
  if (reply.text.includes('npm') && !reply.text.includes('pnpm')) agent.interject('use pnpm', { delivery: 'now' });
  await delay(token, 1);
  return reply;
}

/** A tool that is done at once, one that delegates, and one that does not listen. */
let finishIndex = (): void => {};
const tools = {
  install: () => 'installed',
  explore: (start: (name: string) => InterruptController) =>
    start('explorer').runTurn(({ model }) => model(({ token }) => delay(token, 60_000))),
  index: () => new Promise<void>((resolve) => (finishIndex = resolve)),
};

const history: string[] = [];
async function prompt(text: string): Promise<void> {
  const reason = agent.consumeWasInterrupted();
  if (reason !== undefined) history.push(interruptedNote(reason));
  history.push(text);
  const report = await agent.runTurn(async (turn) => {
    for (;;) {
      const reply = await turn.model((context) => ask(history, context));
      const calls = reply.status === 'completed' ? reply.value.calls : [];
      if (calls.includes('index')) setTimeout(() => agent.cancel(), 5); // the person presses ESC
      const outcomes = await turn.tools(
        calls.map((name, index) => ({ id: `call_${index}`, name })),
        async ({ name }, { subagent }) => tools[name as keyof typeof tools](subagent),
      );
      const news = turn.takeInterjections();
      history.push(...news.map(({ message }) => priorityMessage(message)));
      if (outcomes.length === 0 && news.length === 0) return;
    }
  });
  console.log(`turn ${report.turnId}: ${report.status}`);
  for (const { value, reason: why } of report.partials) console.log(`  cut (${why.kind}): "${String(value)}"`);
  for (const { name, status } of report.calls) console.log(`  ${name}: ${status}`);
  if (report.stop === undefined) return;
  console.log(`  still running: ${report.stop.abandoned.join(', ')}`);
  console.log(interruptedLine(agent.name));
}

await prompt('Set up the project.');
finishIndex();
await prompt('Never mind the index.');
console.log(history.filter((line) => line.startsWith('[The user')).length, 'note in the conversation');

// Output:
// model is asked, last message: Set up the project.
//   ! main: interjection requested
// model is asked, last message: [PRIORITY USER MESSAGE]: use pnpm
//   ! main: cancel requested
//   ! main: reaches explorer
// turn 1: cancelled
//   cut (interjection): "I will install with npm"
//   install: completed
//   explore: stopped
//   index: unknown
//   still running: index
// Interrupted. Tell main what to do instead.
// model is asked, last message: Never mind the index.
//   ! index has ended after all: completed
// turn 2: completed
// 1 note in the conversation
