/** What is left of one name in a bundle of esbuild, which keeps a class whose body computes a key. */
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

import { requireBuild, root } from './consumer.ts';

beforeAll(() => {
  requireBuild();
});

/** Kilobytes, minified and compressed. */
async function sizeOf(name: string): Promise<number> {
  return gzipSync(await bundleOf(name), { level: 9 }).length / 1000;
}

async function bundleOf(name: string, door = 'index'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `import { ${name} } from './dist/${door}.js'; console.log(${name});`, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    external: ['node:*', 'fast-check'],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** The dialects, by the names that they give themselves. */
const dialects = {
  ...{ anthropic: 'anthropic', 'openai-chat': 'openaiChat', 'openai-responses': 'openaiResponses' },
  ...{ 'openai-agents': 'openaiAgents', gemini: 'gemini', ollama: 'ollama', 'ai-sdk': 'aiSDK', langchain: 'langchain' },
};

describe('in a bundle of esbuild', () => {
  it.each(Object.entries(dialects))('the dialect %s brings no other', async (door, name) => {
    const text = await bundleOf(name, `transcript/${door}`);
    const found = [...Object.keys(dialects), 'ai-sdk-ui'].filter((one) => text.includes(`name:"${one}"`));
    expect(found).toEqual([door]);
  });

  it.each([
    ['classify', 3],
    ['CancelledError', 2.5],
    ['CancellationTokenSource', 10.45],
    ['withCancellation', 14.75],
    ['delay', 10.3],
  ])('%s is at most %d kB', async (name, limit) => {
    expect(await sizeOf(name)).toBeLessThan(limit);
  });

  it('the arbitraries of turns bring no writer of a dialect, and those of a dialect by its name no dialect', async () => {
    const [writers, dialects] = [/functionResponse|dynamic-tool/, /toolu_|result-has-call/];
    expect(await bundleOf('interruptScript', 'testing/fast-check')).not.toMatch(writers);
    const transcripts = await bundleOf('transcript', 'testing/fast-check');
    expect(transcripts).toMatch(writers);
    expect(transcripts).not.toMatch(dialects);
    expect(await bundleOf('dialectNamed', 'transcript')).toMatch(dialects);
  });
});
