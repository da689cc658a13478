import { expect, it } from 'vitest';

import { dialectNamed, dialectNames } from '../../../src/transcript/dialects/table.ts';
import { Conversation } from '../../../src/transcript/index.ts';

const frameworks = new Set<string>(['openai-agents', 'ai-sdk', 'langchain']);

it.each(dialectNames)('waits is an option of a conversation where a framework runs its calls: %s', (name) => {
  const make = (waits: unknown) => () => new Conversation(dialectNamed(name) as never, { waits } as never);
  const words = `options.waits is for the dialects of frameworks: nobody runs what waits in ${name}`;
  if (frameworks.has(name)) expect(make(true)).not.toThrow();
  else expect(make(true)).toThrow(new TypeError(words));
  for (const none of [false, undefined]) expect(make(none)).not.toThrow();
  expect(make('yes')).toThrow(/^options.waits must be/);
});

it('an option that there is not is refused by a conversation', () => {
  const make = (options: object) => () => new Conversation(dialectNamed('anthropic'), options);
  expect(make({ message: [] })).toThrow('options.message is no option: there are messages, waits, wording, render');
  expect(make({ render: 7 })).toThrow('options.render must be a function');
});
