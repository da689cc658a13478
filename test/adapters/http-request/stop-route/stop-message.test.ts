import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';

import {
  neutralText,
  Refusal,
  runIdOf,
  stopMessageOf,
} from '../../../../src/adapters/http-request/stop-route/stop-message.ts';

describe('runIdOf', () => {
  it.each<readonly [string, string | undefined]>([
    ['chat-7', 'chat-7'],
    ['user%2Fchat', 'user/chat'],
    ['%F0%9F%91%A9', '👩'],
    ['', undefined],
    ['%', undefined],
    ['%00', undefined],
    ['a%0d%0ab', undefined],
    ['%E2%80%A8', undefined],
    ['%ED%A0%80', undefined],
    ['user%2F..chat', 'user/..chat'],
    ...['..', '.', '%2F', '..%2Fbob', 'ada%2F..%2Fbob', 'ada%2F.', 'ada%2F%2Fbob', '%2Fada', 'ada%2F', 'a%5Cb'].map(
      (path) => [path, undefined] as const,
    ),
    // Zero width, direction, soft hyphen, tag, filler, private use, blank, and spaces at either end.
    ...['\u200b', '\u202e', '\u2066', '\u00ad', '\u{e0041}', '\u3164', '\ue000', '\u2800', '\ufeff'].map(
      (hidden) => [`ad${encodeURIComponent(hidden)}a`, undefined] as const,
    ),
    ...['%20ada', 'ada%20', 'ada%C2%A0'].map((edge) => [edge, undefined] as const),
    ['a%20da', 'a da'],
    ['a'.repeat(256), 'a'.repeat(256)],
    ['a'.repeat(257), undefined],
  ])('%s is %s', (encoded, id) => {
    expect(runIdOf(encoded)).toBe(id);
  });
});

describe('neutralText', () => {
  it('is one line without what reorders or forges text, and keeps what people write', () => {
    expect(neutralText('  a\r\nSet-Cookie: x\u0000\u001b[2J\u202eb 👩‍👩‍👧 ')).toBe('a Set-Cookie: x [2J b 👩‍👩‍👧');
    expect(neutralText(`${'a'.repeat(499)}👩`)).toBe('a'.repeat(499));
  });

  test.prop([fc.string({ unit: 'binary', maxLength: 700 })])('has no control character, and an end', (text) => {
    const neutral = neutralText(text);
    expect(neutral).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    expect(neutral.length).toBeLessThanOrEqual(500);
  });
});

describe('stopMessageOf', () => {
  it('nothing is a stop without a reason', () => {
    expect([stopMessageOf(''), stopMessageOf(undefined), stopMessageOf('{}')]).toEqual([{}, {}, {}]);
  });

  it('takes text, and what a framework has parsed', () => {
    const said = { reason: 'enough', wait: 'settled', turnId: 3, epoch: 1, level: 'kill' };
    expect([stopMessageOf(JSON.stringify(said)), stopMessageOf(said)]).toEqual([said, said]);
  });

  it.each([
    '{',
    'null',
    '[]',
    '"stop"',
    '7',
    '{"reason":7}',
    '{"reason":{"kind":"shutdown"}}',
    '{"wait":"forever"}',
    '{"level":"murder"}',
    '{"turnId":0}',
    '{"turnId":-1}',
    '{"turnId":1.5}',
    '{"epoch":"1"}',
    '{"kind":"shutdown"}',
    '{"by":"root"}',
    '{"__proto__":{"by":"root"}}',
  ])('refuses %s, and quotes nothing of it', (body) => {
    const refusing = () => stopMessageOf(body);
    expect(refusing).toThrow(Refusal);
    expect(refusing).toThrow(/^(the body|'(reason|wait|level|turnId|epoch)')/);
  });
});
