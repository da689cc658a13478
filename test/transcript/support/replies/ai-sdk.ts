/**
 * What the AI SDK gives for a call of a model.
 *
 * @module
 */
import type { Sample } from './sample.ts';

const aiCall = { type: 'tool-call', toolCallId: 'call_1', toolName: 'pay', input: { to: 'call<1>' } };
const aiResult = {
  ...{ type: 'tool-result', toolCallId: 'call_1', toolName: 'pay' },
  output: { type: 'text', value: 'found<1>' },
};
class Generated {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
  /** Where the last step ended in calls. */
  get output(): never {
    throw new Error('No output generated.');
  }
}
/** What `generateText` resolves with has all of this as getters, too. */
const generated = (content: readonly object[], messages: readonly object[], more: object = {}): object =>
  new Generated({
    content,
    text: '',
    toolCalls: [],
    toolResults: [],
    steps: [],
    finishReason: 'stop',
    ...more,
    response: { id: 'r', modelId: 'm', headers: {}, body: { output: [] }, messages },
  });

export const aiReplies: readonly Sample[] = [
  [
    'a text with its sources',
    generated(
      [
        { type: 'text', text: 'said<1>' },
        { type: 'source', sourceType: 'url', id: 's', url: 'u' },
      ],
      [{ role: 'assistant', content: [{ type: 'text', text: 'said<1>' }] }],
    ),
  ],
  ['a call', generated([aiCall], [{ role: 'assistant', content: [aiCall] }], { toolCalls: [aiCall] }), 1],
  [
    'a call that the SDK ran and one that failed',
    generated(
      [aiCall, { ...aiCall, type: 'tool-error', error: new Error('no') }],
      [
        { role: 'assistant', content: [aiCall] },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call_1',
              toolName: 'pay',
              output: { type: 'error-text', value: 'found<1>' },
            },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'said<1>' }] },
      ],
      { toolCalls: [aiCall] },
    ),
  ],
  [
    'a call that the SDK ran beside one that it left',
    generated(
      [aiCall, { ...aiCall, toolCallId: 'call_2' }],
      [
        { role: 'assistant', content: [aiCall, { ...aiCall, toolCallId: 'call_2' }] },
        { role: 'tool', content: [aiResult] },
      ],
    ),
    1,
  ],
  [
    'a call that the SDK ran of a tool whose name no provider takes',
    generated(
      [{ ...aiCall, toolName: 'fs.pay' }],
      [
        { role: 'assistant', content: [{ ...aiCall, toolName: 'fs.pay' }] },
        { role: 'tool', content: [{ ...aiResult, toolName: 'fs.pay' }] },
      ],
    ),
  ],
  [
    'what the SDK ran in a step',
    {
      ...{ callId: 'aicall_1', stepNumber: 0, content: [aiCall, aiResult], finishReason: 'tool-calls' },
      response: {
        messages: [
          { role: 'assistant', content: [aiCall] },
          { role: 'tool', content: [aiResult] },
        ],
      },
    },
  ],
  ['a file', { role: 'assistant', content: [{ type: 'file', mediaType: 'image/png', data: 'said<1>' }] }],
  [
    'a thought in a file',
    {
      role: 'assistant',
      content: [
        { type: 'reasoning-file', mediaType: 'image/png', data: 'thought<1>' },
        { type: 'text', text: 'said<1>' },
      ],
    },
  ],
  [
    'a sealed thought without words',
    {
      role: 'assistant',
      content: [
        {
          type: 'reasoning',
          text: '',
          providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'seal<1>' } },
        },
        aiCall,
      ],
    },
    1,
  ],
  [
    'what the provider ran',
    {
      role: 'assistant',
      content: [
        { ...aiCall, providerExecuted: true },
        { type: 'tool-result', toolCallId: 'call_1', toolName: 'pay', output: { type: 'json', value: 'found<1>' } },
        { type: 'text', text: 'said<1>' },
      ],
    },
  ],
  [
    'a part of the provider’s own',
    {
      role: 'assistant',
      content: [{ type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { itemId: 'said<1>' } } }],
    },
  ],
  [
    'a question',
    {
      role: 'assistant',
      content: [aiCall, { type: 'tool-approval-request', approvalId: 'q<1>', toolCallId: 'call_1' }],
    },
  ],
  ['nothing', generated([], [])],
];
