/** Ids of the items of a local shell, whose outputs name their calls in two ways. */
import { describe, expect, it } from 'vitest';

import { checkTranscript } from '../../src/transcript/index.ts';
import { repairWith } from './support/repair-with.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';

describe('S17 items of a local shell', () => {
  const user = { type: 'message', role: 'user', content: 'Go.' };
  const call = (id: string) => ({
    type: 'local_shell_call',
    id,
    call_id: 'call_0',
    status: 'completed',
    action: { type: 'exec', command: ['ls'], env: {} },
  });
  const said = { type: 'local_shell_call_output', id: 'call_0', output: 'a' };
  const named = { type: 'local_shell_call_output', id: 'call_0', call_id: 'call_0', output: 'a' };

  it.each([
    ['answered by settling', [user, call('lsh_1'), user, call('lsh_2'), user]],
    ['named by their calls alone', [user, call('lsh_1'), said, call('lsh_2'), said]],
    ['named twice', [user, call('lsh_1'), named, call('lsh_2'), { ...named, output: 'b' }]],
  ])('no two outputs have one id where they are %s', (_what, items) => {
    const { messages } = repairWith(items as never, { dialect: openaiResponses });
    const settled = messages as { id?: string; type: string; call_id?: string }[];
    const ids = settled.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const outputs = settled.filter(({ type }) => type === 'local_shell_call_output');
    expect(outputs.map(({ id, call_id: of }) => of ?? id)).toEqual(['call_0', 'call_0']);
    expect(checkTranscript(messages, { dialect: openaiResponses })).toEqual([]);
    expect(repairWith(messages, { dialect: openaiResponses }).changes).toEqual([]);
    expect(checkTranscript(items as never, { dialect: openaiResponses })).not.toEqual([]);
  });
});
