/** A loop as people write it by hand, and the same with one fault in it. */
import OpenAI from 'openai';
import type { AgentHarness } from '../../../src/testing/index.ts';

type Message = OpenAI.ChatCompletionMessageParam;
export type Fault = 'none' | 'swallowed abort' | 'follow-up after the tools' | 'lost interjection';

const stopped = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });

export function handMade(fault: Fault): AgentHarness {
  return {
    name: fault,
    start({ url, prompt, tools, history }) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
      const messages: Message[] = [...((history ?? []) as Message[]), { role: 'user', content: prompt }];
      const stop = new AbortController();
      const { signal } = stop;
      const inbox: string[] = [];
      const call = async (name: string): Promise<string> => {
        if (signal.aborted && fault !== 'follow-up after the tools') return 'Not run: stopped.';
        const work = tools[name]?.(signal) ?? Promise.resolve('no such tool');
        // A tool alone, and nobody who listens.
        if (fault === 'swallowed abort') return await work;
        return await Promise.race([work, stopped(signal)]).catch(() => 'Stopped; it may have run.');
      };
      const loop = async (): Promise<void> => {
        for (;;) {
          const body = { model: 'scripted', messages };
          const reply = await client.chat.completions.stream(body, { signal }).finalMessage();
          messages.push({ role: 'assistant', content: reply.content, ...(reply.tool_calls && { tool_calls: reply.tool_calls }) }); // prettier-ignore
          if (reply.tool_calls === undefined || reply.tool_calls.length === 0) return;
          for (const wanted of reply.tool_calls) {
            const name = wanted.type === 'function' ? wanted.function.name : '';
            messages.push({ role: 'tool', tool_call_id: wanted.id, content: await call(name) });
          }
          if (signal.aborted && fault !== 'follow-up after the tools') return;
          const news = inbox.splice(0);
          if (fault !== 'lost interjection') for (const text of news) messages.push({ role: 'user', content: text });
          if (fault === 'follow-up after the tools' && signal.aborted) {
            await client.chat.completions.create({ model: 'scripted', messages });
            return;
          }
        }
      };
      return {
        done: loop(),
        cancel: () => {
          stop.abort();
        },
        interject: (text) => inbox.push(text),
        history: () => messages,
      };
    },
  };
}
