/** G24: a model's stream that is read with progress, beside tool calls that have come whole, and of many parts. */
import { foldAnthropic, foldOpenAIChat, readStream } from 'desist/llm';
import { medianOf, now } from '../growth.ts';
import type { Row, Workload } from '../workload.ts';

const PIECE = 12;

function argumentsOf(kilobytes: number): string {
  return JSON.stringify({ path: 'a', content: 'line of code;\n'.repeat((kilobytes * 1000) / 15) });
}

async function* anthropic(calls: number, kilobytes: number): AsyncGenerator<{ readonly type: string }> {
  const json = argumentsOf(kilobytes);
  yield { type: 'message_start', message: { usage: { input_tokens: 1 } } } as { type: string };
  for (let index = 0; index < calls; index++) {
    const block = { type: 'tool_use', id: `i${String(index)}`, name: 'write_file', input: {} };
    yield { type: 'content_block_start', index, content_block: block } as { type: string };
    for (let at = 0; at < json.length; at += PIECE) {
      const delta = { type: 'input_json_delta', partial_json: json.slice(at, at + PIECE) };
      yield { type: 'content_block_delta', index, delta } as { type: string };
    }
    yield { type: 'content_block_stop', index } as { type: string };
  }
}

async function* openai(calls: number, kilobytes: number) {
  const json = argumentsOf(kilobytes);
  const chunk = (index: number, call: object) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index, ...call }] } }],
  });
  for (let index = 0; index < calls; index++) {
    yield chunk(index, { id: `i${String(index)}`, function: { name: 'write_file', arguments: '' } });
    for (let at = 0; at < json.length; at += PIECE) {
      yield chunk(index, { function: { arguments: json.slice(at, at + PIECE) } });
    }
  }
}

/** Milliseconds for a reply of so many calls, each of three events. */
async function readMany(calls: number): Promise<number> {
  const began = now();
  async function* events(): AsyncGenerator<{ readonly type: string }> {
    for (let index = 0; index < calls; index++) {
      const block = { type: 'tool_use', id: `i${String(index)}`, name: 'read_file', input: {} };
      yield { type: 'content_block_start', index, content_block: block } as { type: string };
      const delta = { type: 'input_json_delta', partial_json: '{"path":"a"}' };
      yield { type: 'content_block_delta', index, delta } as { type: string };
      yield { type: 'content_block_stop', index } as { type: string };
    }
  }
  await readStream(null, () => events(), { fold: foldAnthropic, onProgress: () => undefined });
  return now() - began;
}

async function readAll(provider: 'anthropic' | 'openai', kilobytes: number): Promise<number> {
  const began = now();
  const onProgress = (): void => undefined;
  if (provider === 'anthropic') {
    await readStream(null, () => anthropic(4, kilobytes), { fold: foldAnthropic, onProgress });
  } else await readStream(null, () => openai(4, kilobytes), { fold: foldOpenAIChat, onProgress });
  return now() - began;
}

export const workload: Workload = {
  id: 'G24',
  title: 'Read a stream with progress, and finished tool calls',
  async measure() {
    const rows: Row[] = [];
    for (const provider of ['anthropic', 'openai'] as const) {
      const small = await medianOf(() => readAll(provider, 25));
      const large = await medianOf(() => readAll(provider, 200));
      rows.push(
        {
          what: `${provider}: time at 4 × 200 kB / 8 × time at 4 × 25 kB`,
          value: large / (8 * small),
          unit: 'x',
          atMost: 1.5,
        },
        { what: `${provider}: 4 × 200 kB`, value: large, unit: 'ms' },
      );
    }
    const [few, many] = [await medianOf(() => readMany(1000)), await medianOf(() => readMany(8000))];
    rows.push(
      { what: 'time of 8,000 calls / 8 × time of 1,000', value: many / (8 * few), unit: 'x', atMost: 1.5, floor: 3 },
      { what: '8,000 calls', value: many, unit: 'ms' },
    );
    return rows;
  },
};
