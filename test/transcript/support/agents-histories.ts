/**
 * Histories of OpenAI Agents at random: for its properties, and for the SDK's own validators.
 *
 * @module
 */
import fc from 'fast-check';

import type { OpenAIAgentsItem } from '../../../src/transcript/dialects/openai-agents/index.ts';
import { markedText, nextMark, tidy as tidyFields } from './properties.ts';

export type Item = OpenAIAgentsItem & Readonly<Record<string, unknown>>;
const tidy = (item: Readonly<Record<string, unknown>>): Item => tidyFields(item);

export const ids = ['a', 'b', 'c'] as const;
const id = fc.constantFrom(...ids);
const itemId = fc.constantFrom(undefined, undefined, undefined, 'it_1', 'it_2');

const text = markedText('', ' ', 'plain', 'trailing \n');

const say = fc
  .tuple(
    itemId,
    fc.oneof(text, fc.array(text, { maxLength: 2 })),
    fc.constantFrom('completed', 'incomplete', undefined),
  )
  .map(([own, said, status]) =>
    tidy({
      id: own,
      type: 'message',
      role: 'assistant',
      status,
      content: typeof said === 'string' ? said : said.map((one) => ({ type: 'output_text', text: one })),
    }),
  );

const call = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        id: itemId,
        callId: fc.oneof({ weight: 9, arbitrary: id }, fc.constant('')),
        name: fc.constantFrom('read', 'read', 'read', ''),
        status: fc.constantFrom(undefined, 'completed'),
        arguments: fc.constantFrom<unknown>('{}', '{"path":"/tmp"}', '{"path":"/tm', '', undefined),
      })
      .map((one) => tidy({ type: 'function_call', ...one })),
  },
  fc
    .tuple(id, fc.constantFrom({ commands: ['ls'] }, undefined))
    .map(([own, action]) => tidy({ type: 'shell_call', callId: own, action })),
  fc
    .tuple(id, fc.constantFrom({ type: 'delete_file', path: 'a' }, undefined))
    .map(([own, operation]) => tidy({ type: 'apply_patch_call', callId: own, status: 'completed', operation })),
  id.map((own) => tidy({ type: 'computer_call', callId: own, status: 'completed', action: { type: 'screenshot' } })),
);

const reasoning = fc
  .tuple(
    fc.constantFrom('rs_1', 'rs_2', 'rs_3'),
    fc.constantFrom(undefined, 'seal'),
    fc.constantFrom(undefined, 'done'),
  )
  .map(([own, seal, status]) =>
    tidy({ type: 'reasoning', id: own, content: [], providerData: tidy({ encrypted_content: seal, status }) }),
  );

const outputTypes = ['function_call_result', 'shell_call_output', 'apply_patch_call_output'] as const;

const outputValue = fc
  .constantFrom('', 'plain', 'text', 'parts', 'image', 'shell', null, undefined, 'empty')
  .map((form): unknown => {
    const result = nextMark('result');
    if (form === 'plain') return result;
    if (form === 'empty') return [];
    if (form === 'text') return { type: 'text', text: result };
    if (form === 'image') return { type: 'image', image: { url: `https://x.test/${result}` } };
    if (form === 'parts') return [{ type: 'input_text', text: result }];
    return form === 'shell' ? [{ stdout: result, stderr: '', outcome: { type: 'exit', exitCode: 0 } }] : form;
  });

const output = fc
  .record({
    type: fc.constantFrom(...outputTypes),
    callId: id,
    output: outputValue,
    status: fc.constantFrom('completed', 'failed'),
  })
  .map((one) => tidy(one.type === 'function_call_result' ? { ...one, name: 'read', status: 'completed' } : one));

const other = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'system'), content: text }).map((one): Item => one),
  fc.constantFrom(
    tidy({ type: 'hosted_tool_call', id: 'ws_1', name: 'web_search_call', status: 'completed' }),
    tidy({ type: 'unknown', id: 'un_1', providerData: { type: 'new_call' } }),
    tidy({
      type: 'hosted_tool_call',
      id: 'q_1',
      name: 'mcp_approval_request',
      providerData: { id: 'q_1', name: 'send' },
    }),
    tidy({
      type: 'hosted_tool_call',
      name: 'mcp_approval_response',
      providerData: { approval_request_id: 'q_1', approve: true },
    }),
    tidy({ type: 'program', id: 'prog_1', callId: 'a', code: 'x', fingerprint: 'F' }),
    tidy({ type: 'compaction', id: 'cmp_1', encrypted_content: 'z' }),
  ),
);

/** Anything at all: every rule broken in every combination. */
export const wild = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: say },
    { weight: 4, arbitrary: call },
    { weight: 4, arbitrary: output },
    { weight: 2, arbitrary: reasoning },
    { weight: 2, arbitrary: other },
  ),
  { maxLength: 12 },
);

const made = fc.array(fc.oneof(say, call, reasoning), { maxLength: 4 });
export const partialValue = fc.oneof(
  text,
  made,
  made.map((output) => ({ output, usage: {} })),
  made.map((message) => ({ message, isComplete: false })),
  say.map((message) => ({ text: '', message })),
  fc.constantFrom(null, 7, {}, { role: 'user', content: 'x' }),
);

const round = fc.record({
  calls: fc.integer({ min: 1, max: 4 }),
  thinks: fc.boolean(),
  results: fc.constantFrom('whole', 'shuffled', 'after a word', 'before the last', 'twice', 'some'),
});

/** What is left of a run that was cut; some servers number their calls anew in every round. */
export const cut = fc
  .tuple(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat(), fc.boolean())
  .map(([shape, cutAt, reusesIds]) => {
    const history: Item[] = [{ role: 'user', content: 'text<p>' }];
    const callIds = new Set<string>();
    shape.forEach(({ calls, thinks, results }, r) => {
      const names = Array.from({ length: calls }, (_, i) => (reusesIds ? `call_${i}` : `r${r}c${i}`));
      names.forEach((name) => callIds.add(name));
      if (thinks) {
        const providerData = { encrypted_content: `text<s${r}>` };
        history.push({ type: 'reasoning', id: `rs_${r}`, content: [], providerData });
      }
      const content = [{ type: 'output_text', text: `text<r${r}>` }];
      history.push({ type: 'message', id: `msg_${r}`, role: 'assistant', status: 'completed', content });
      for (const name of names) {
        const of = `{"of":"call<r${r}x${name}>"}`;
        history.push({ type: 'function_call', callId: name, name: 'read', status: 'completed', arguments: of });
      }
      const done = names.map((name): Item => ({
        type: 'function_call_result',
        callId: name,
        name: 'read',
        status: 'completed',
        output: { type: 'text', text: `result<r${r}x${name}>` },
      }));
      const word: Item = { role: 'user', content: `text<w${r}>` };
      if (results === 'shuffled') history.push(...done.reverse());
      else if (results === 'after a word') history.push(word, ...done);
      else if (results === 'before the last') history.push(...done.slice(0, -1), word, ...done.slice(-1));
      else if (results === 'twice') history.push(...done, ...done);
      else if (results === 'some') history.push(...done.slice(1));
      else history.push(...done);
    });
    const end = [{ type: 'output_text', text: 'text<end>' }];
    history.push({ type: 'message', role: 'assistant', status: 'completed', content: end });
    const kept = history.slice(0, 1 + (cutAt % history.length));
    const last = kept.at(-1);
    const open = last?.type === 'function_call' ? [String(last['callId'])] : [];
    return { history: kept, callIds: [...callIds], open };
  });
