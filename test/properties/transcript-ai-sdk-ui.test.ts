import fc from 'fast-check';

import { alwaysSendable, markedText, nextMark, tidy } from '../transcript/support/properties.ts';
import { aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import type { AISDKUIMessage } from '../../src/transcript/dialects/ai-sdk/message.ts';

const ids = ['a', 'b', 'c', 'b_copy2'] as const;

const text = markedText('', ' ', 'plain', 'trailing \n');

const metadata = fc.constantFrom<unknown>(
  undefined,
  undefined,
  { openai: { itemId: 'rs_1' } },
  { openai: { itemId: 'rs_2', reasoningEncryptedContent: 'sealed' } },
  { anthropic: { signature: 'signed' } },
);
const partOf = (fields: Readonly<Record<string, unknown>>) => tidy(fields) as { type: string };

const prose = fc
  .record({
    type: fc.constantFrom('text', 'text', 'reasoning'),
    text,
    state: fc.constantFrom(undefined, 'done', 'streaming'),
    providerMetadata: metadata,
  })
  .map(partOf);

const approval = fc.constantFrom<unknown>(
  undefined,
  undefined,
  { id: 'q' },
  { id: 'q', approved: true },
  { id: 'q', approved: false },
  { id: 'q', approved: false, reason: 'not that one' },
);
const state = fc.constantFrom(
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-available',
  'output-error',
  'output-denied',
  'vanished',
);
const call = fc
  .record({
    type: fc.constantFrom('tool-read', 'tool-write', 'dynamic-tool', 'tool-'),
    toolCallId: fc.constantFrom(...ids, ''),
    state,
    input: fc.constantFrom<unknown>({}, { path: '/tmp' }, undefined),
    rawInput: fc.constantFrom<unknown>(undefined, '{"pa', '{"path":"/tmp"}'),
    approval,
    preliminary: fc.constantFrom<unknown>(undefined, undefined, true),
    providerExecuted: fc.constantFrom<unknown>(undefined, undefined, undefined, true),
    callProviderMetadata: metadata,
    hasText: fc.boolean(),
  })
  .map(({ hasText, ...one }) => {
    const result = nextMark('result');
    const ends: Record<string, object> = {
      'output-available': { output: { of: result } },
      'output-error': hasText ? { errorText: result } : {},
    };
    const name = one.type === 'dynamic-tool' ? { toolName: 'run' } : {};
    return partOf({ ...one, ...name, ...ends[one.state] });
  });

const anyPart = fc.oneof(
  { weight: 3, arbitrary: prose },
  { weight: 5, arbitrary: call },
  { weight: 2, arbitrary: fc.constant({ type: 'step-start' }) },
  { weight: 1, arbitrary: fc.constantFrom({ type: 'source-url', url: 'https://x' }, { type: 'data-x', data: 1 }) },
);
const message = fc
  .record({
    role: fc.constantFrom('assistant', 'assistant', 'assistant', 'user'),
    parts: fc.array(anyPart, { maxLength: 7 }),
  })
  .map((one) => one as AISDKUIMessage);

/** Anything at all: every rule broken in every combination. */
const wild = fc
  .array(message, { minLength: 1, maxLength: 6 })
  .map((messages) => messages.map((one, i): AISDKUIMessage => ({ id: `m${i}`, ...one })));

/** An agent's replies as a user interface keeps them: one message with a step for each round. */
const rounds = fc.tuple(
  fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
  fc.nat(),
  fc.boolean(),
);

/** What is left of a reply that was cut: its last part as it was, the calls without their ends. */
const cutHistories = rounds.map(([shape, cutAt, reusesIds]) => {
  const parts: { type: string }[] = [];
  const callIds = new Set<string>();
  shape.forEach((calls, r) => {
    parts.push({ type: 'step-start' });
    parts.push(partOf({ type: 'reasoning', text: `text<t${r}>`, state: 'done' }));
    parts.push(partOf({ type: 'text', text: `text<r${r}>`, state: 'done' }));
    for (let i = 0; i < calls; i += 1) {
      const toolCallId = reusesIds ? `call_${i}` : `r${r}c${i}`;
      callIds.add(toolCallId);
      const output = { of: `result<r${r}x${i}>` };
      parts.push(partOf({ type: 'tool-read', toolCallId, state: 'output-available', input: {}, output }));
    }
  });
  const kept = parts.slice(0, 1 + (cutAt % parts.length));
  const states = ['input-available', 'input-streaming', 'approval-requested'];
  const last = kept.at(-1) as { type: string; state?: string; output?: unknown };
  if (last.type === 'tool-read') {
    last.state = String(states[cutAt % states.length]);
    delete last.output;
  } else if ('state' in last) {
    last.state = 'streaming';
  }
  const user = { id: 'u', role: 'user' as const, parts: [{ type: 'text', text: 'text<p>' }] };
  return { history: [user, { id: 'm', role: 'assistant' as const, parts: kept }], callIds: [...callIds], open: [] };
});

alwaysSendable({
  dialect: aiSDKUI,
  kind: 'messages of a user interface',
  ids,
  wild,
  cut: cutHistories,
});
