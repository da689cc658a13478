/**
 * The results of tools in a request, whatever protocol it speaks.
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
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (isResult(value as Readonly<Record<string, unknown>>)) found.push(JSON.stringify(value));
    else open.push(...(Object.values(value) as unknown[]).reverse());
  }
  return found;
}
