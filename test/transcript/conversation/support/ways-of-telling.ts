/**
 * How each provider and framework writes what was said, by hand: it shares nothing with the dialects.
 *
 * @module
 */
import type { Told, ToldCall, Telling } from './telling.ts';

type Fields = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
const markOf = (input: unknown): string => String((input as Fields | undefined)?.['mark']);
const parsed = (json: unknown): Fields => JSON.parse(String(json)) as Fields;

/** The texts of a content, whatever its blocks are called. */
function textsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((block) => block['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

const anthropic: Telling = {
  read: (messages) =>
    messages.flatMap(({ role, content }): Told[] => {
      const words = textsOf(content);
      const blocks = list(content);
      if (role === 'assistant') {
        const calls = blocks.filter(({ type }) => type === 'tool_use');
        return [
          {
            who: 'model',
            words,
            calls: calls.map(({ id, name, input }) => ({ id: String(id), name: String(name), mark: markOf(input) })),
          },
        ];
      }
      const results = blocks.filter(({ type }) => type === 'tool_result');
      return [
        ...(results.length === 0
          ? []
          : [
              {
                who: 'tools' as const,
                results: results.map((one) => ({
                  id: String(one['tool_use_id']),
                  name: '',
                  text: textOf(one['content']),
                })),
              },
            ]),
        ...(words === '' ? [] : [{ who: 'user' as const, text: words }]),
      ];
    }),
  write: (told) =>
    told.map((one) => {
      if (one.who === 'user') return { role: 'user', content: one.text };
      if (one.who === 'tools') {
        const content = one.results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text }));
        return { role: 'user', content };
      }
      const calls = one.calls.map(({ id, name, mark }) => ({ type: 'tool_use', id, name, input: { mark } }));
      return {
        role: 'assistant',
        content: [...(one.words === '' ? [] : [{ type: 'text', text: one.words }]), ...calls],
      };
    }),
};

const chat: Telling = {
  read: (messages) =>
    messages.map((one): Told => {
      const text = textsOf(one['content']);
      if (one['role'] === 'tool') {
        return { who: 'tools', results: [{ id: String(one['tool_call_id']), name: '', text }] };
      }
      if (one['role'] !== 'assistant') return { who: 'user', text };
      const calls = list(one['tool_calls']).map(({ id, function: body }) => {
        const { name, arguments: json } = body as Fields;
        return { id: String(id), name: String(name), mark: markOf(parsed(json)) };
      });
      return { who: 'model', words: text, calls };
    }),
  write: (told) =>
    told.flatMap((one): Fields[] => {
      if (one.who === 'user') return [{ role: 'user', content: one.text }];
      if (one.who === 'tools') {
        return one.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
      }
      const calls = one.calls.map(({ id, name, mark }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify({ mark }) },
      }));
      return [
        {
          role: 'assistant',
          content: one.words === '' ? null : one.words,
          ...(calls.length > 0 && { tool_calls: calls }),
        },
      ];
    }),
};

/** Items of OpenAI's, whose fields have other names in its framework. */
function items(id: string, result: string, outputOf: (text: string) => unknown): Telling {
  return {
    read: (all) =>
      all.map((item): Told => {
        const { type, role, name } = item;
        const own = String(item[id]);
        if (type === 'function_call') {
          const call = { id: own, name: String(name), mark: markOf(parsed(item['arguments'])) };
          return { who: 'model', words: '', calls: [call] };
        }
        if (type === result) return { who: 'tools', results: [{ id: own, name: '', text: textOf(item['output']) }] };
        const text = textsOf(item['content']);
        return role === 'assistant' ? { who: 'model', words: text, calls: [] } : { who: 'user', text };
      }),
    write: (told) =>
      told.flatMap((one): Fields[] => {
        if (one.who === 'user') return [{ role: 'user', content: one.text }];
        if (one.who === 'tools') {
          return one.results.map((own) => ({ type: result, [id]: own.id, output: outputOf(own.text) }));
        }
        return [
          ...(one.words === '' ? [] : [{ type: 'message', role: 'assistant', content: one.words }]),
          ...one.calls.map((own) => ({
            ...{ type: 'function_call', [id]: own.id, name: own.name },
            arguments: JSON.stringify({ mark: own.mark }),
          })),
        ];
      }),
  };
}

const aiSDK: Telling = {
  read: (messages) =>
    messages.map((one): Told => {
      const parts = list(one['content']);
      if (one['role'] === 'tool') {
        const results = parts.map(({ toolCallId, output }) => ({
          id: String(toolCallId),
          name: '',
          text: textOf(output),
        }));
        return { who: 'tools', results };
      }
      const text = textsOf(one['content']);
      if (one['role'] !== 'assistant') return { who: 'user', text };
      const calls = parts.filter(({ type }) => type === 'tool-call');
      return {
        ...{ who: 'model', words: text },
        calls: calls.map(({ toolCallId, toolName, input }) => ({
          ...{ id: String(toolCallId), name: String(toolName), mark: markOf(input) },
        })),
      };
    }),
  write: () => [],
};

const langchain: Telling = {
  read: (messages) =>
    messages.map((one): Told => {
      const text = textsOf(one['content']);
      if (one['role'] === 'tool')
        return { who: 'tools', results: [{ id: String(one['tool_call_id']), name: '', text }] };
      if (one['role'] !== 'assistant') return { who: 'user', text };
      const calls = list(one['tool_calls']);
      return {
        ...{ who: 'model', words: text },
        calls: calls.map(({ id, name, args }) => ({ id: String(id), name: String(name), mark: markOf(args) })),
      };
    }),
  write: () => [],
};

/** In formats without ids a result goes by its order: the calls of the last reply wait for it. */
function byOrder(): { readonly call: (name: string, mark: string) => ToldCall; readonly result: () => ToldCall } {
  const open: ToldCall[] = [];
  let count = 0;
  return {
    call(name, mark) {
      const call = { id: `n${String(++count)}`, name, mark };
      open.push(call);
      return call;
    },
    result: () => open.shift() ?? { id: '', name: '', mark: '' },
  };
}

const gemini: Telling = {
  read: (contents) => {
    const order = byOrder();
    return contents.flatMap(({ role, parts }): Told[] => {
      const texts = textsOf(parts);
      if (role === 'model') {
        const calls = list(parts).flatMap(({ functionCall }) => (functionCall ? [functionCall as Fields] : []));
        return [
          {
            who: 'model',
            words: texts.trim(),
            calls: calls.map(({ name, args }) => order.call(String(name), markOf(args))),
          },
        ];
      }
      const results = list(parts).flatMap(({ functionResponse }) =>
        functionResponse ? [functionResponse as Fields] : [],
      );
      if (results.length === 0) return [{ who: 'user', text: texts }];
      return [
        { who: 'tools', results: results.map(({ response }) => ({ ...order.result(), text: textOf(response) })) },
      ];
    });
  },
  write: (told) =>
    told.map((one) => {
      if (one.who === 'user') return { role: 'user', parts: [{ text: one.text }] };
      if (one.who === 'tools') {
        return {
          role: 'user',
          parts: one.results.map(({ name, text }) => ({ functionResponse: { name, response: { output: text } } })),
        };
      }
      const calls = one.calls.map(({ name, mark }) => ({ functionCall: { name, args: { mark } } }));
      return { role: 'model', parts: [...(one.words === '' ? [] : [{ text: one.words }]), ...calls] };
    }),
};

const ollama: Telling = {
  read: (messages) => {
    const order = byOrder();
    return messages.map((one): Told => {
      const text = textsOf(one['content']);
      if (one['role'] === 'tool') return { who: 'tools', results: [{ ...order.result(), text }] };
      if (one['role'] !== 'assistant') return { who: 'user', text };
      const calls = list(one['tool_calls']).map(({ function: body }) => {
        const { name, arguments: args } = body as Fields;
        return order.call(String(name), markOf(args));
      });
      return { who: 'model', words: text, calls };
    });
  },
  write: (told) =>
    told.flatMap((one): Fields[] => {
      if (one.who === 'user') return [{ role: 'user', content: one.text }];
      if (one.who === 'tools') {
        return one.results.map(({ name, text }) => ({ role: 'tool', tool_name: name, content: text }));
      }
      const calls = one.calls.map(({ name, mark }) => ({ function: { name, arguments: { mark } } }));
      return [{ role: 'assistant', content: one.words, ...(calls.length > 0 && { tool_calls: calls }) }];
    }),
};

/** By the names of dialects. */
export const ways: Readonly<Record<string, Telling>> = {
  anthropic,
  'openai-chat': chat,
  'openai-responses': items('call_id', 'function_call_output', (text) => text),
  'openai-agents': items('callId', 'function_call_result', (text) => ({ type: 'text', text })),
  'ai-sdk': aiSDK,
  langchain,
  gemini,
  ollama,
};
