/**
 * The end of JSON that was cut: what stands behind it cannot be taken back, so it is made whole by what is put there.
 *
 * @module
 */

/** What may be missing of a value, or of a key. */
const values = ['', 'null', '0', 'e', 'ue', 'rue', 'l', 'll', 'ull', 'se', 'lse', 'alse'];
const escapes = ['', '\\', '0', '00', '000', '0000'];
const tails = [
  ...values,
  ':null',
  '"":null',
  ...escapes.map((escape) => `${escape}"`),
  ...escapes.map((escape) => `${escape}":null`),
];

/** The brackets that are open, from the inside, if no text is. */
function bracketsOf(json: string): string {
  const open: string[] = [];
  for (const [one] of json.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs)) {
    if (one === '{' || one === '[') open.unshift(one === '{' ? '}' : ']');
    else if (one === '}' || one === ']') open.shift();
  }
  return open.join('');
}

/** What makes it whole; nothing for what is no JSON so far. An empty text is an object. */
export function endOfJson(json: string): string {
  const brackets = bracketsOf(json);
  const ends = json.trim() === '' ? ['{}'] : tails.map((tail) => tail + brackets);
  return ends.find((end) => isJson(json + end)) ?? '';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
