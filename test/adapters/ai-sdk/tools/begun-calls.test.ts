import { expect, it, vi } from 'vitest';
import { tellingBegun } from '../../../../src/adapters/ai-sdk/tools/begun-calls.ts';

it('tells of each call that has an id just before it, and leaves what runs nothing as it is', () => {
  const said: string[] = [];
  const execute = vi.fn((input: unknown) => said.push(`ran ${String(input)}`));
  const client = { description: 'for the page' };
  const tools = tellingBegun({ pay: { execute }, client, none: undefined }, (id) => said.push(`began ${id}`)) as {
    readonly pay: { execute(input: unknown, options?: unknown): unknown };
    readonly client: unknown;
    readonly none: unknown;
  };
  tools.pay.execute(1, { toolCallId: 'a' });
  tools.pay.execute(2, {});
  tools.pay.execute(3);
  expect(said).toEqual(['began a', 'ran 1', 'ran 2', 'ran 3']);
  expect([tools.client, tools.none]).toEqual([client, undefined]);
});
