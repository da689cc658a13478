/** LangChain's real chat models in every shape: a loop of one's own, one object, and the prebuilt agents. */
import { z } from 'zod';
import { InterjectedError, turnModel } from '../../../../src/adapters/langchain/index.ts';
import type { Major } from '../../majors.ts';
import type { Framework } from '../frameworks/framework.ts';
import { chatModelNames, chatModels, type ChatModel, type ModelSettings } from '../frameworks/langchain-models.ts';
import { langgraph, toolKit, wordsOf, type Graph } from '../frameworks/langgraph.ts';
import { chatOfLangChain } from '../settle-history.ts';
import { inObjects, inWords, type Way } from './way.ts';

type Make = (settings: ModelSettings) => ChatModel;

/** How the model is asked, and what is heard of its words then. */
const modes = {
  'invoke()': { streaming: false, stream: false, hasWords: false },
  'invoke() with streaming': { streaming: true, stream: false, hasWords: true },
  'stream()': { streaming: undefined, stream: true, hasWords: true },
} as const;

type Mode = (typeof modes)[keyof typeof modes];

interface Message {
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string }[];
  concat(next: Message): Message;
}

async function wholeOf(chunks: AsyncIterable<unknown>, onPart: () => void = () => undefined): Promise<Message> {
  let whole: Message | undefined;
  for await (const chunk of chunks as AsyncIterable<Message>) {
    whole = whole === undefined ? chunk : whole.concat(chunk);
    onPart();
  }
  return whole as Message;
}

/** A loop that somebody writes by hand around a model with tools. */
async function ownLoop(major: Major, make: Make, { streaming }: Mode): Promise<Framework['run']> {
  const kit = await toolKit(major);
  return async (turn, options) => {
    const { baseURL, maxRetries, graceMs, idleMs, stream, onPart } = options;
    const { signal } = turn;
    const tools = kit.guarded(turn, options);
    const model = turnModel(turn, make({ baseURL, maxRetries, streaming }), { graceMs, idleMs }).bindTools(tools);
    const messages: unknown[] = [{ role: 'user', content: 'go' }];
    for (;;) {
      const input = [...messages] as never;
      const answer = (
        stream === true
          ? await wholeOf(await model.stream(input, { signal }), onPart)
          : await model.invoke(input, { signal })
      ) as Message;
      messages.push(answer);
      const { tool_calls: calls = [] } = answer;
      if (calls.length === 0) return wordsOf({ messages: [answer] });
      const results = calls.map(async ({ id, name }) => {
        const tool = tools.find((each) => each.name === name);
        const content = await tool?.invoke({}, { signal }).catch((error: unknown) => {
          // A call that was stopped alone is answered to the model, a turn that was stopped ends.
          turn.checkpoint();
          return String(error);
        });
        return { role: 'tool', tool_call_id: id, content: String(content) };
      });
      messages.push(...(await Promise.all(results)));
    }
  };
}

/** One object instead of words. */
function oneObject(make: Make, method: 'functionCalling' | 'jsonSchema', { streaming }: Mode): Framework['run'] {
  return async (turn, { baseURL, maxRetries, graceMs, idleMs, stream, onPart }) => {
    const { signal } = turn;
    const model = turnModel(turn, make({ baseURL, maxRetries, streaming }), { graceMs, idleMs });
    const structured = model.withStructuredOutput(z.object({ text: z.string() }), { name: 'out', method });
    for (;;) {
      try {
        if (stream !== true) return (await structured.invoke('go', { signal })).text;
        let last = '';
        for await (const { text } of await structured.stream('go', { signal })) {
          last = text;
          onPart?.();
        }
        return last;
      } catch (error) {
        if (!(error instanceof InterjectedError)) throw error;
      }
    }
  };
}

export async function langchainWays(major: Major): Promise<readonly Way[]> {
  const models = await chatModels(major);
  const prebuilt = await major.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt');
  const { createAgent } = await major.load<typeof import('langchain')>('langchain');
  const react = (llm: ChatModel, tools: unknown[]) =>
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- people have it, and copy it into their own code
    prebuilt.createReactAgent({ llm, tools: tools as never }) as unknown as Graph;
  const agent = (model: ChatModel, tools: unknown[]) =>
    createAgent({ model, tools: tools as never }) as unknown as Graph;
  const object = { ...inObjects('text'), noTools: 'one object is asked for, and no tool' };

  const waysOf = async (modelName: (typeof chatModelNames)[number], modeName: keyof typeof modes): Promise<Way[]> => {
    const make = models[modelName];
    const mode = modes[modeName];
    const graph = async (of: typeof react) => (await langgraph(major, modelName, of, mode)).run;
    const shapes: Readonly<Record<string, Partial<Way> & Pick<Way, 'run'>>> = {
      bindTools: { run: await ownLoop(major, make, mode) },
      createReactAgent: { run: await graph(react) },
      createAgent: { run: await graph(agent) },
      'withStructuredOutput by schema': { ...object, run: oneObject(make, 'jsonSchema', mode) },
      // The one of Anthropic cannot parse a call that is streamed to it.
      ...(modelName === 'ChatAnthropic'
        ? {}
        : {
            'withStructuredOutput by a call': {
              ...object,
              ...inObjects('call'),
              run: oneObject(make, 'functionCalling', mode),
            },
          }),
    };
    return Object.entries(shapes).map(([shape, way]) => ({
      ...inWords,
      name: `${modelName}, ${shape}, ${modeName}`,
      stream: mode.stream,
      hasWords: mode.hasWords,
      chat: () => chatOfLangChain(),
      async goOn(_turn, _report, baseURL, chat) {
        const messages = [...(chat?.messages ?? []), { role: 'user', content: 'go on' }];
        return await make({ baseURL }).invoke(messages as never);
      },
      ...way,
    }));
  };

  const ways = chatModelNames.flatMap((model) =>
    (Object.keys(modes) as (keyof typeof modes)[]).map((mode) => waysOf(model, mode)),
  );
  return (await Promise.all(ways)).flat();
}
