import { expect, test } from 'vitest';
import { majors } from './majors.ts';

const names = ['ai', 'openai', '@anthropic-ai/sdk', '@openai/agents', '@langchain/core', '@google/genai', 'execa'];

// Before any test: what a package keeps open from its import on is its own, and no leak of ours.
const loaded = await Promise.all(majors.map((major) => Promise.all(names.map((name) => major.load(name)))));

const line = (version: string | undefined) => version?.split('.').slice(0, version.startsWith('0.') ? 2 : 1);

if (majors.length === 2) {
  test.each(names.map((name, at) => ({ name, at })))('$name is there in two different majors', ({ name, at }) => {
    const [newest, previous] = majors.map((major) => major.version(name));
    expect(line(newest)).not.toEqual(line(previous));
    expect(loaded[0]?.[at]).not.toBe(loaded[1]?.[at]);
  });
} else {
  test.each(names)('%s is there', (name) => {
    expect(majors[0]?.version(name)).toMatch(/^\d/);
  });
}
