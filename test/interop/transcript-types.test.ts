/**
 * The compiler as a judge: histories at random, settled, are literals of the types that the SDKs have for a request. It
 * knows every field and every spelling of them, and refuses one that is not there.
 */
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import { interruptedTranscript } from '../transcript/support/interrupted/interrupted-transcript.ts';
import { repair } from '../../src/transcript/index.ts';
import { forms } from '../transcript/support/conversations/forms.ts';

const types: Readonly<Record<string, { readonly from: string; readonly type: string }>> = {
  anthropic: { from: '@anthropic-ai/sdk/resources/messages', type: 'MessageParam' },
  'openai-chat': { from: 'openai/resources/chat/completions', type: 'ChatCompletionMessageParam' },
  'openai-responses': { from: 'openai/resources/responses/responses', type: 'ResponseInputItem' },
  gemini: { from: '@google/genai', type: 'Content' },
  'ai-sdk': { from: 'ai', type: 'ModelMessage' },
  'ai-sdk-ui': { from: 'ai', type: 'UIMessage' },
  langchain: { from: '@langchain/core/messages', type: 'BaseMessageLike' },
  'openai-agents': { from: '@openai/agents', type: 'AgentInputItem' },
  ollama: { from: 'ollama', type: 'Message' },
};

/** What Ollama's servers give and take, and its client's types do not know. */
const serverFields = new Set(['id', 'tool_call_id']);

const HISTORIES = 40;
const folder = fileURLToPath(new URL('.', import.meta.url));

/** What the compiler says to these sources, each a file beside this one. */
function complaintsOf(sources: ReadonlyMap<string, string>): readonly string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...more) => {
    const text = sources.get(path);
    return text === undefined ? getSourceFile(path, version, ...more) : ts.createSourceFile(path, text, version, true);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText, start = 0 }) => {
        const line = file?.text.slice(file.text.lastIndexOf('\n', start) + 1).split('\n')[0] ?? '';
        return `${path.slice(folder.length)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}\n${line}`;
      },
    );
  });
}

function sourceOf(name: string, histories: readonly (readonly unknown[])[]): [path: string, text: string] {
  const { from, type } = types[name] ?? { from: '', type: '' };
  const known = (key: string, value: unknown): unknown =>
    name === 'ollama' && serverFields.has(key) ? undefined : value;
  const literals = histories.map((messages) => `keep(${JSON.stringify(messages, known)});`);
  const text = [
    `import type { ${type} } from '${from}';`,
    `declare function keep(messages: ${type}[]): void;`,
    ...literals,
  ].join('\n');
  return [`${folder}${name.replace(/\W+/g, '-')}.settled.mts`, text];
}

describe('the types of the SDKs', () => {
  it('S17 whatever settling makes is of the type that the SDK sends', () => {
    const sources = forms.map(({ name, dialect }) => {
      const histories = fc
        .sample(interruptedTranscript(dialect), HISTORIES)
        .map(({ messages, outcomeOf }) => repair(messages, { dialect, outcomeOf }).messages);
      return sourceOf(name, histories);
    });
    expect(complaintsOf(new Map(sources)).slice(0, 3)).toEqual([]);
  }, 120_000);

  it('refuse what has not been settled', () => {
    const half = { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'read' } }] };
    const [complaint, ...more] = complaintsOf(new Map([sourceOf('openai-chat', [[half]])]));
    expect(complaint).toMatch(/type|arguments/);
    expect(more.length).toBeLessThan(3);
  }, 120_000);
});
