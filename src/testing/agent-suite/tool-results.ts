/**
 * What a request tells the model, whatever protocol it speaks: the results of tools, and the texts.
 *
 * @module
 */
function isResult(fields: Readonly<Record<string, unknown>>): boolean {
  const { role, type, functionResponse } = fields;
  if (role === 'tool' || type === 'tool_result' || functionResponse !== undefined) return true;
  return typeof type === 'string' && type.endsWith('_call_output');
}

/**
 * Every result in a request's body, as the text of its JSON, in order.
 *
 * @param body A parsed body; anything else holds none.
 */
export function toolResultsIn(body: unknown): string[] {
  const found: string[] = [];
  walk(body, (value) => {
    const isFound = isResult(value);
    if (isFound) found.push(JSON.stringify(value));
    return !isFound;
  });
  return found;
}

/** Under these names a protocol has what a person, the model or a tool has said, and not an id, a type or a setting. */
const spoken = ['content', 'text', 'output', 'result', 'thinking', 'input'] as const;

/** Every text that a request's body tells the model, in order. */
export function textsIn(body: unknown): string[] {
  const found: string[] = [];
  walk(body, (value) => {
    for (const name of spoken) if (typeof value[name] === 'string') found.push(value[name]);
    return true;
  });
  return found;
}

/** Visits every object of a body, in order; goes on into those of which `enter` says so. */
function walk(body: unknown, enter: (value: Readonly<Record<string, unknown>>) => boolean): void {
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || !enter(value as Readonly<Record<string, unknown>>)) continue;
    open.push(...(Object.values(value) as unknown[]).reverse());
  }
}
