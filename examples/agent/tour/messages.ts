/** Messages to an agent that works, and questions from it. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from './bench.ts';

const marked = '[PRIORITY USER MESSAGE]: ';

/** How often the conversation holds a text. */
function timesIn(messages: readonly unknown[], text: string): number {
  return JSON.stringify(messages).split(text).length - 1;
}

export async function messageInStream(bench: Bench): Promise<void> {
  const text = 'Use short words.';
  bench.title('a message in the middle of the stream');
  const turn = bench.prompt('Tell me another story.');
  await bench.speaking(40);
  const interjection = bench.session.tell(text, { delivery: 'now' });
  bench.say(`> ${text}`);
  const { status, partials } = await turn;
  bench.say(`── ${status}, the message was ${interjection.status}`);
  bench.check('the turn completed', status === 'completed');
  bench.check('the model was told once', bench.requestsWith(marked + text).length === 1);
  bench.check('the partial answer was kept', partials.length === 1);
  await bench.checkRest();
}

export async function messageInTool(bench: Bench): Promise<void> {
  const text = 'And count them.';
  bench.title('a message while a tool works');
  const before = bench.server.requests.length;
  const turn = bench.prompt('Please test it.');
  await bench.called('shell');
  const interjection = bench.session.tell(text);
  bench.say(`> ${text}`);
  const { status, calls } = await turn;
  bench.say(`── ${status}, the message was ${interjection.status}`);
  bench.check('the tool was not disturbed', calls.length === 1 && calls[0]?.status === 'completed');
  bench.check('the next request has the message', bench.requestsWith(marked + text).length === 1);
  bench.check('the conversation has it once', timesIn(bench.session.messages, text) === 1);
  bench.checkRequests(before, 2);
  await bench.checkRest();
}

export async function questions(bench: Bench): Promise<void> {
  const path = join(bench.world.workspace, 'notes.txt');
  await writeFile(path, 'Stop means stop.\n');
  for (const allowed of [false, true]) {
    const word = allowed ? 'yes' : 'no';
    bench.title(`a question, and the answer is ${word}`);
    const turn = bench.prompt('Please remove my notes.');
    const { respond } = await bench.question();
    const counted = respond(allowed);
    bench.say(`> ${word}`);
    const { status, calls } = await turn;
    bench.say(`── ${status}; ${calls[0]?.name}: ${calls[0]?.status}`);
    bench.check('the answer counts, and once', counted && !respond(!allowed));
    bench.check(
      allowed ? 'the file is gone' : 'the call was declined, the file is there',
      calls[0]?.status === (allowed ? 'completed' : 'declined') && existsSync(path) !== allowed,
    );
    await bench.checkRest();
  }
}

export async function stopInQuestion(bench: Bench): Promise<void> {
  const path = join(bench.world.workspace, 'notes.txt');
  await writeFile(path, 'Stop means stop.\n');
  const before = bench.session.messages.length;
  let late: (value: boolean) => boolean = () => true;
  await bench.stop({
    where: 'during a question',
    prompt: 'Please remove my notes.',
    requests: 1,
    moment: async () => {
      late = (await bench.question()).respond;
    },
  });
  bench.check('a yes that comes late is refused, the file is there', !late(true) && existsSync(path));
  bench.check('the model hears of no answer', timesIn(bench.session.messages.slice(before), 'declined') === 0);
}
