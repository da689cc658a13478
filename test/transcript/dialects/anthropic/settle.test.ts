import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, wordingTable } from '../../../../src/transcript/index.ts';
import { cutReply } from '../../support/cut-reply.ts';
import { repairWith } from '../../support/repair-with.ts';
import { anthropic, type AnthropicMessage } from '../../../../src/transcript/dialects/anthropic/index.ts';

type Block = { readonly type: string } & Readonly<Record<string, unknown>>;
type Turn = Omit<Parameters<typeof repairWith>[1], 'dialect'>;

const user = createReason({ kind: 'user', at: 1 });
const text = (value: string): Block => ({ type: 'text', text: value });
const use = (id: string, input: unknown = {}): Block => ({ type: 'tool_use', id, name: 'read', input });
const result = (id: string, content = `${id} done`): Block => ({ type: 'tool_result', tool_use_id: id, content });
const error = (id: string, content: string): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: true,
});
const said = (role: 'user' | 'assistant', ...content: Block[]): AnthropicMessage => ({ role, content });
const hello: AnthropicMessage = { role: 'user', content: 'Hello' };
const row = (id: string, status: ToolOutcome['status'], more: object = {}): ToolOutcome =>
  ({ id, name: 'read', call: undefined, ms: 1, status, ...more }) as ToolOutcome;

function settle(messages: readonly AnthropicMessage[], turn: Turn = {}) {
  const { messages: settled, changes } = repairWith(messages, { ...turn, dialect: anthropic });
  expect(checkTranscript(settled, { dialect: anthropic })).toEqual([]);
  return { settled, rules: changes.map(({ at, rule }) => `${at} ${rule}`), changes };
}

describe('S12 S17 a batch that was cancelled', () => {
  it('done, running, not started, awaiting approval: four truths, in call order, in the message after', () => {
    const calls = said('assistant', text('On it.'), use('done'), use('running'), use('queued'), use('asking'));
    const { settled, rules, changes } = settle([hello, calls], {
      outcomes: [
        row('asking', 'declined'),
        row('done', 'completed', { value: { files: 2 } }),
        row('running', 'unknown', { reason: user }),
        row('queued', 'not-started', { reason: user }),
      ],
    });
    expect(settled[0]).toBe(hello);
    expect(settled[1]).toBe(calls);
    expect(settled.slice(2)).toEqual([
      said(
        'user',
        result('done', '{"files":2}'),
        error('running', wordingTable.user.unknown),
        error('queued', wordingTable.user['not-started']),
        error('asking', wordingTable.unknown.declined),
      ),
    ]);
    expect(rules).toEqual(Array<string>(4).fill('1 call-answered'));
    expect(changes[1]?.what).toBe('read (running) has no result in the user message directly after it');
  });

  it('puts missing results beside the ones that are there, before what the user said', () => {
    const { settled } = settle([said('assistant', use('a'), use('b')), { role: 'user', content: 'stop!' }], {
      outcomes: [row('a', 'completed', { value: 'x' }), row('b', 'stopped', { reason: user, partial: 'half' })],
    });
    expect(settled[1]).toEqual(
      said('user', result('a', 'x'), error('b', `${wordingTable.user.stopped}\nOutput so far:\nhalf`), text('stop!')),
    );
  });

  it('keeps the order of the calls where only some have their result in place', () => {
    const before = [said('assistant', use('x')), said('user', result('x'))];
    const { settled } = settle([...before, said('assistant', use('a'), use('b')), said('user', result('a'))]);
    expect(settled[3]).toEqual(said('user', result('a'), error('b', wordingTable.unknown.unrecorded)));
  });
});

describe('results out of place', () => {
  it.each<[string, AnthropicMessage[], string[]]>([
    [
      'one message each',
      [said('user', result('a')), said('user', result('b'))],
      ['0 call-answered', '1 goes-with-others', '2 result-has-call'],
    ],
    ['after a word', [said('user', text('x'), result('a'), result('b'))], ['1 results-first', '1 results-first']],
    [
      'after another message',
      [hello, said('user', result('a'), result('b'))],
      ['0 call-answered', '0 call-answered', '1 goes-with-others', '2 result-has-call', '2 result-has-call'],
    ],
    [
      'in the reply itself',
      [said('assistant', result('a'), result('b'))],
      ['0 call-answered', '0 call-answered', '1 result-has-call', '1 result-has-call'],
    ],
    ['twice', [said('user', result('a'), result('b'), result('a'))], ['1 one-result-per-call']],
    ['with a stranger', [said('user', result('a'), result('b'), result('z'))], ['1 result-has-call']],
  ])('%s', (_how, after, rules) => {
    const seen = settle([said('assistant', use('a'), use('b')), ...after]);
    expect(seen.settled[1]?.content?.slice(0, 2)).toEqual([result('a'), result('b')]);
    expect(seen.rules).toEqual(rules);
  });

  it('leaves the order of results that were legal', () => {
    const messages = [said('assistant', use('a'), use('b')), said('user', result('b'), result('a'))];
    const seen = settle(messages);
    expect(seen.settled.every((message, i) => message === messages[i])).toBe(true);
    expect(seen.rules).toEqual([]);
  });

  it('drops a message that held only strangers', () => {
    expect(settle([hello, said('user', result('z'))])).toMatchObject({
      settled: [hello],
      rules: ['1 result-has-call'],
    });
  });

  it('renames the second call of an id, and its result', () => {
    const { settled, rules } = settle([
      said('assistant', use('a')),
      said('user', result('a', 'first')),
      said('assistant', use('a')),
      said('user', result('a', 'second')),
    ]);
    expect(settled.slice(2)).toEqual([said('assistant', use('a_copy2')), said('user', result('a_copy2', 'second'))]);
    expect(rules).toEqual(['2 call-id', '3 goes-with-others']);
  });
});

describe('what stands where it may not', () => {
  const image: Block = { type: 'image', source: { type: 'url', url: 'https://x' } };
  const search: Block = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
  const found: Block = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
  const signed: Block = { type: 'thinking', thinking: 'x', signature: 'sig' };

  it('takes what only the model can say out of a message of the user', () => {
    const seen = settle([said('user', use('a'), signed, search, found, text('Hello'))]);
    expect(seen.settled).toEqual([said('user', text('Hello'))]);
    expect(seen.rules).toEqual(Array.from({ length: 4 }, () => '0 block-by-model'));
  });

  it('keeps one result of a server tool', () => {
    expect(settle([hello, said('assistant', search, found, found, text('Found.')), hello])).toMatchObject({
      settled: [hello, said('assistant', search, found, text('Found.')), hello],
      rules: ['1 one-result-per-call'],
    });
  });

  it('says in words that a call failed whose error holds a picture, and keeps the picture', () => {
    const shot = { ...error('a', ''), content: [text('Timeout'), image] };
    const { settled, rules } = settle([said('assistant', use('a')), said('user', shot)]);
    expect(settled[1]).toEqual(
      said('user', {
        ...shot,
        content: [text('This call failed. What it left:'), text('Timeout'), image],
        is_error: false,
      }),
    );
    expect(rules).toEqual(['1 error-is-text']);
  });

  it('leaves cache marks, and answers before a system message', () => {
    const marked = { ...use('a'), cache_control: { type: 'ephemeral' } };
    const system: AnthropicMessage = { role: 'system', content: 'Be brief.' };
    const { settled } = settle([hello, said('assistant', marked), system, said('user', result('a'), text('Go on'))]);
    expect(settled).toEqual([
      hello,
      said('assistant', marked),
      said('user', result('a')),
      system,
      said('user', text('Go on')),
    ]);
  });
});

describe('what was cut', () => {
  const signed: Block = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };

  it('S18 removes unsigned reasoning, and the message that held nothing else', () => {
    const half: Block = { type: 'thinking', thinking: 'Hm' };
    expect(settle([hello, said('assistant', half)])).toMatchObject({
      settled: [hello],
      rules: ['1 thinking-signed', '1 thinking-not-last'],
    });
    const { settled } = settle([hello, said('assistant', signed, text('So.'), half), hello]);
    expect(settled[1]).toEqual(said('assistant', signed, text('So.')));
    expect((settled[1]?.content as Block[])[0]).toBe(signed);
  });

  it('does not let a message end in reasoning', () => {
    expect(settle([said('assistant', signed), hello])).toMatchObject({
      settled: [hello],
      rules: ['0 thinking-not-last'],
    });
    const turn = [said('assistant', signed, use('a'), signed), said('assistant', signed)];
    expect(settle([...turn, said('user', result('a'))]).settled).toEqual([
      said('assistant', signed, use('a')),
      said('user', result('a')),
    ]);
  });

  it('removes a call that was cut inside its arguments', () => {
    expect(settle([said('assistant', text('I read'), use('a', '{"pa'))])).toMatchObject({
      settled: [said('assistant', text('I read'))],
      rules: ['0 call-arguments', '0 call-answered'],
    });
  });

  it('empties such arguments where an outcome or a result exists, and parses them where they are whole', () => {
    const { settled } = settle(
      [said('assistant', use('a', '{"pa'), use('b', '{"pa'), use('c', '{"x":1}')), said('user', result('b'))],
      { outcomes: [row('a', 'failed', { error: new Error('bad JSON') })] },
    );
    expect(settled[0]).toEqual(said('assistant', use('a', {}), use('b', {}), use('c', { x: 1 })));
  });

  it('leaves the white space at the end of a reply that is not the last', () => {
    const messages = [hello, said('assistant', text('Hi. ')), hello];
    expect(settle(messages)).toMatchObject({ settled: messages, rules: [] });
  });

  it('removes empty texts and the white space at the very end', () => {
    expect(settle([hello, said('assistant', text(''), text('Hi. \n'))])).toMatchObject({
      settled: [hello, said('assistant', text('Hi.'))],
      rules: ['1 text-not-empty', '1 no-trailing-space'],
    });
    expect(settle([hello, { role: 'assistant', content: 'Hi. ' }]).settled[1]).toEqual({
      role: 'assistant',
      content: 'Hi.',
    });
  });
});

describe('a reply that was cut', () => {
  const mark = text(wordingTable.user.cut);

  it('has a mark, and what a request may hold', () => {
    const value = { role: 'assistant', content: [text('I wi')], usage: {} };
    expect(cutReply(anthropic, value)).toEqual([said('assistant', text('I wi'), mark)]);
  });

  it('is without the calls that the provider runs', () => {
    const mail = { type: 'mcp_tool_use', id: 'mcp_1', name: 'send_mail', server_name: 'mail', input: {} };
    const [reply, note] = cutReply(anthropic, said('assistant', text('I write.'), mail));
    expect(JSON.stringify(reply)).toMatch(/I write/);
    expect(JSON.stringify(reply)).not.toMatch(/send_mail/);
    expect(JSON.stringify(note)).toMatch(/ran: send_mail/);
  });

  it('answers its whole calls as not started, without a mark, and removes the cut one', () => {
    const value = { role: 'assistant', content: [use('a'), use('b', '{"')] };
    expect(cutReply(anthropic, value)).toEqual([
      said('assistant', use('a')),
      said('user', error('a', wordingTable.user['not-started'])),
    ]);
  });

  it('is nothing of a reply in which nothing was whole', () => {
    const value = { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm' }, use('b', '{"'), text(' ')] };
    expect(cutReply(anthropic, value)).toEqual([]);
  });

  it('keeps signed reasoning of a cut reply legal', () => {
    const signed: Block = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
    expect(cutReply(anthropic, said('assistant', signed))).toEqual([said('assistant', signed, mark)]);
  });
});
