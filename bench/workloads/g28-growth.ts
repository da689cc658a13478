/** G28: a token of all of many, and many messages that are taken back, one after the other. What was quadratic stood at 8 here. */
import { CancellationToken, CancellationTokenSource, InterruptController } from 'desist';
import { keep } from '../harness.ts';
import { growthRows, now } from '../growth.ts';
import type { Workload } from '../workload.ts';

/** Milliseconds for so many tokens to be cancelled, one after the other, below which one waits for all. */
function cancelAll(count: number): Promise<number> {
  const sources = Array.from({ length: count }, () => new CancellationTokenSource());
  const token = CancellationToken.all(...sources.map((source) => source.token));
  keep(token.onCancelled(() => undefined));
  const began = now();
  for (const source of sources) source.cancel();
  const ended = now();
  if (!token.isCancelled) throw new Error('all are cancelled');
  return Promise.resolve(ended - began);
}

/** The same of signals. */
function abortAll(count: number): Promise<number> {
  const controllers = Array.from({ length: count }, () => new AbortController());
  const token = CancellationToken.all(...controllers.map(({ signal }) => signal));
  keep(token.onCancelled(() => undefined));
  const began = now();
  for (const controller of controllers) controller.abort();
  const ended = now();
  if (!token.isCancelled) throw new Error('all are aborted');
  return Promise.resolve(ended - began);
}

/** Milliseconds for so many messages, kept for the next turn, to be taken back, one after the other. */
async function withdraw(count: number): Promise<number> {
  const agent = new InterruptController({ undelivered: 'keep' });
  const messages = Array.from({ length: count }, (_, n) => agent.interject(String(n)));
  const began = now();
  for (const message of messages) message.withdraw();
  const ended = now();
  await agent.close();
  return ended - began;
}

const cases = {
  'CancellationToken.all(), cancelled one by one': cancelAll,
  'CancellationToken.all(), of signals': abortAll,
  'messages, withdrawn one by one': withdraw,
};

export const workload: Workload = {
  id: 'G28',
  title: '8,000 of something, against 1,000: growth for each',
  measure: () => growthRows(cases, 1_000),
};
