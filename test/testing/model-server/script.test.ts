import { describe, expect, it } from 'vitest';
import { RequestRecord } from '../../../src/testing/model-server/request-record.ts';
import { checkReply, readScript } from '../../../src/testing/model-server/script.ts';

const request = new RequestRecord(1, 'anthropic', {}, {});

describe('readScript', () => {
  it('readScript uses a list in order and answers 400, naming the count, when it is used up', async () => {
    const next = readScript(['one', { text: 'two' }]);
    expect(await next(request, 1)).toEqual({ text: 'one' });
    expect(await next(request, 2)).toEqual({ text: 'two' });
    expect(await next(request, 3)).toEqual({ status: 400, message: 'The script has 2 replies, this is request 3' });
  });

  it('readScript asks a function with the request and its number, and checks what it says', async () => {
    const next = readScript((asked: unknown, n: number) => (asked === request ? `reply ${String(n)}` : 7));
    expect(await next(request, 4)).toEqual({ text: 'reply 4' });
    await expect(next(new RequestRecord(2, 'anthropic', {}, {}), 5)).rejects.toThrow(
      'the reply to request 5 must be a string or an object, got 7',
    );
  });

  it.each([undefined, null, 'text', 5, {}])('readScript refuses %o as a script', (script) => {
    expect(() => readScript(script)).toThrow(TypeError);
  });

  it('names the place of a bad reply before anything runs', () => {
    expect(() => readScript(['fine', { text: 5 }])).toThrow('script[1].text must be a string, got 5');
  });
});

describe('checkReply', () => {
  it.each([
    [{ chunkMs: '5' }, TypeError, 'r.chunkMs must be a number, got "5"'],
    [{ chunkMs: -1 }, RangeError, 'r.chunkMs must be 0 or more, got -1'],
    [{ delayMs: Number.NaN }, RangeError, 'r.delayMs must be 0 or more, got NaN'],
    [{ chunks: 0 }, RangeError, 'r.chunks must be 1 or more, got 0'],
    [{ status: 200 }, RangeError, 'r.status must be an HTTP error, 400 to 599, got 200'],
    [{ silentAfter: 1, silentUntil: 5 }, TypeError, 'r.silentUntil must be a promise, got 5'],
    [{ silentAfter: 1, silentUntil: null }, TypeError, 'r.silentUntil must be a promise, got null'],
    [{ silentUntil: Promise.resolve() }, RangeError, 'r.silentUntil needs a silentAfter'],
    [{ toolCalls: 'x' }, TypeError, 'r.toolCalls must be a list, got "x"'],
    [{ toolCalls: [{ input: {} }] }, TypeError, 'r.toolCalls[0].name must be a non-empty string, got undefined'],
    [['x'], TypeError, 'r must be a string or an object, got x'],
    [{ parts: 'x' }, TypeError, 'r.parts must be a list, got "x"'],
    [{ parts: [{}] }, TypeError, 'r.parts[0] must have thinking, text or toolCall, got [object Object]'],
    [{ parts: [{ text: 'a' }, null] }, TypeError, 'r.parts[1] must have thinking, text or toolCall, got null'],
    [{ parts: [{ text: 5 }] }, TypeError, 'r.parts[0] must have thinking, text or toolCall, got [object Object]'],
    [{ parts: [{ toolCall: {} }] }, TypeError, 'r.parts[0].toolCall.name must be a non-empty string, got undefined'],
    [{ text: 'a', parts: [] }, TypeError, 'r must have parts or text, not both'],
  ])('checkReply refuses %o', (reply, type, message) => {
    expect(() => checkReply(reply, 'r')).toThrow(type);
    expect(() => checkReply(reply, 'r')).toThrow(message);
  });

  it('checkReply lets failures and silence through', () => {
    expect(checkReply({ status: 529, headers: { 'retry-after': '1' } }, 'r')).toMatchObject({ status: 529 });
    expect(checkReply({ silent: true }, 'r')).toEqual({ silent: true });
  });
});
