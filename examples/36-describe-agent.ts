/**
 * An agent loop as many write it, put through four scenarios of a stop, and the same loop with its tools guarded: what is
 * judged is what the scripted model and the tools have seen.
 */
import { InterruptController } from 'desist';
import { guardTools } from 'desist/guard';
import { describeAgent, type AgentHarness, type AgentTool } from 'desist/testing';

interface Message {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly tool_call_id?: string;
}

/** The loop: it asks, it runs what it was asked for, it asks again. The signal goes to the model and to the tools. */
async function loop(url: string, prompt: string, tools: Readonly<Record<string, AgentTool>>, signal: AbortSignal) {
  const messages: Message[] = [{ role: 'user', content: prompt }];
  for (;;) {
    const body = JSON.stringify({ model: 'scripted', messages });
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, signal });
    const { choices } = (await response.json()) as { choices: { message: Message }[] };
    const { message } = choices[0]!;
    messages.push(message);
    if (message.tool_calls === undefined) return message.content;
    for (const { id, function: call } of message.tool_calls) {
      const content = await tools[call.name]!(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        return String(error);
      });
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
  }
}

const bare: AgentHarness = {
  name: 'bare',
  start({ url, prompt, tools }) {
    const stop = new AbortController();
    return { done: loop(url, prompt, tools, stop.signal), cancel: () => stop.abort() };
  },
};

const guarded: AgentHarness = {
  name: 'guarded',
  start({ url, prompt, tools }) {
    const agent = new InterruptController({ graceMs: 50 });
    const done = agent.runTurn((turn) => loop(url, prompt, guardTools(tools, { turn }), turn.signal));
    return { done, cancel: () => agent.cancel('user') };
  },
};

for (const harness of [bare, guarded]) {
  const verdicts = await describeAgent(harness, { only: ['S01', 'S02', 'S03', 'S07'], settleMs: 1_000 });
  for (const { scenario, status, why } of verdicts) console.log(`${harness.name} ${scenario}: ${why || status}`);
}

// Output:
// bare S01: the run ends, the deaf tool is left behind – waited 1000 ms until the run ends; model requests: 1, tools started: slow, still running: slow
// bare S02: a stop during a batch is its end – started after the stop: second, third
// bare S03: passed
// bare S07: a late stop does not touch the next run – waited 1000 ms until the run ends; model requests: 1, tools started: slow, still running: slow
// guarded S01: passed
// guarded S02: passed
// guarded S03: passed
// guarded S07: passed
