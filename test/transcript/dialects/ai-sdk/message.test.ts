import { describe, expect, it } from 'vitest';

import {
  isBlank,
  isReasoning,
  requireAISDKMessage,
  requireAISDKUIMessage,
  withoutItemIds,
  type AISDKPart,
} from '../../../../src/transcript/dialects/ai-sdk/message.ts';

const part = (type: string, more: object = {}): AISDKPart => ({ type, ...more });
const user = { role: 'user', content: 'x' } as const;
const ui = { id: 'u', role: 'user', parts: [] } as const;

describe('a message of the AI SDK', () => {
  it.each([
    [{ role: 'user', content: [7] }, 'm.content[0] must be an object, got 7'],
    [{ content: 'x' }, 'm.role must be a string, got undefined'],
    [
      ui,
      "m must be a message for a model, or the dialect `aiSDKUI` of 'desist/transcript/ai-sdk', got an instance of Object",
    ],
  ])('for a model is not %j', (message, error) => {
    expect(() => requireAISDKMessage('m', message)).toThrow(new TypeError(error));
  });

  it.each([
    [{ role: 'user', parts: {} }, 'm.parts must be an array, got an instance of Object'],
    [{ role: 'user', parts: [{}] }, 'm.parts[0].type must be a string, got undefined'],
    [{ parts: [] }, 'm.role must be a string, got undefined'],
    [user, 'm.parts must be an array, got undefined'],
  ])('of a page is not %j', (message, error) => {
    expect(() => requireAISDKUIMessage('m', message)).toThrow(new TypeError(error));
  });

  it('of either kind is taken by its own rules', () => {
    expect(() => requireAISDKMessage('m', user)).not.toThrow();
    expect(() => requireAISDKUIMessage('m', ui)).not.toThrow();
  });
});

describe('withoutItemIds', () => {
  it('keeps everything but the ids, and a part without them as it is', () => {
    const plain = part('text', { providerOptions: { anthropic: { signature: 's' } } });
    expect(withoutItemIds(plain)).toBe(plain);
    const openai = { openai: { itemId: 'rs', reasoningEncryptedContent: 'sealed' }, azure: { itemId: 'x' } };
    expect(withoutItemIds(part('reasoning', { text: 'x', providerOptions: openai }))).toEqual(
      part('reasoning', { text: 'x', providerOptions: { openai: { reasoningEncryptedContent: 'sealed' } } }),
    );
    expect(withoutItemIds(part('tool-x', { callProviderMetadata: { openai: { itemId: 'fc' } } }))).toStrictEqual(
      part('tool-x'),
    );
  });
});

describe('parts', () => {
  it.each([
    [part('text', { text: ' \n' }), true],
    [part('text'), true],
    [part('reasoning', { text: '' }), true],
    [part('text', { text: 'x' }), false],
    [part('text', { text: '', providerOptions: { openai: {} } }), false],
    [part('file', { text: '' }), false],
  ])('%j is blank: %s', (one, blank) => {
    expect(isBlank(one)).toBe(blank);
  });

  it('knows reasoning', () => {
    expect(['reasoning', 'reasoning-file', 'text'].map((type) => isReasoning(part(type)))).toEqual([true, true, false]);
  });
});
