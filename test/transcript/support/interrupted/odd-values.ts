/**
 * What tools return that is no JSON, or more than that.
 *
 * @module
 */

/** Values that a provider cannot be sent as they are. */
export function oddValues(): readonly unknown[] {
  const circular: Record<string, unknown> = { name: 'circular' };
  circular['self'] = circular;
  return [
    'text',
    '',
    undefined,
    null,
    0,
    Number.NaN,
    7n,
    new Date(0),
    new Date(Number.NaN),
    new URL('https://example.test/'),
    new Map([['a', 1n]]),
    new Map([[{}, 1]]),
    new Set(['a']),
    new Error('it broke'),
    Symbol('s'),
    () => 1,
    circular,
    JSON.parse('{"__proto__":{"polluted":true}}'),
    { toJSON: () => undefined },
    {
      toJSON: () => {
        throw new Error('not today');
      },
    },
    { isError: true, content: [{ type: 'text', text: 'no such file' }] },
    { content: [{ type: 'image', data: 'iVBO', mimeType: 'image/png' }] },
    { content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'A' } }] },
  ];
}
