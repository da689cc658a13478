/**
 * What a client may say with a stop, read from bytes that somebody on the internet has sent.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import { isClear } from '../../../sessions/session-id.ts';

/** The longest body, in bytes. */
export const MOST_BYTES = 4096;

/** The longest reason, in UTF-16 units; the rest is cut. */
const LONGEST_REASON = 500;

/** The longest id of a run, in UTF-16 units. */
const LONGEST_ID = 256;

/** What the body of a stop may hold. */
export interface StopMessage {
  readonly reason?: string | undefined;
  readonly wait?: 'requested' | 'observed' | 'settled' | undefined;
  readonly level?: 'cancel' | 'kill' | undefined;
  readonly turnId?: number | undefined;
  readonly epoch?: number | undefined;
}

/** Why a request is refused, in words that quote nothing of it. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.headers = headers;
  }
}

/** The id in a path, or `undefined` where it is none: what `authorize` gets to see is what is seen. */
export function runIdOf(encoded: string): string | undefined {
  let id: string;
  try {
    id = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  return id.length <= LONGEST_ID && isClear(id) ? id : undefined;
}

/** On one line, without what could reorder, hide or forge text around it, and not too long. */
export function neutralText(text: string): string {
  const flat = text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
  // A cut between the halves of a character would leave half of it.
  return flat.slice(0, LONGEST_REASON).replace(/[\ud800-\udbff]$/u, '');
}

const countFrom =
  (least: number) =>
  (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= least;
const oneOf =
  (...words: readonly string[]) =>
  (value: unknown): boolean =>
    typeof value === 'string' && words.includes(value);

const fields: Readonly<Record<keyof StopMessage, (value: unknown) => boolean>> = {
  reason: (value) => typeof value === 'string',
  wait: oneOf('requested', 'observed', 'settled'),
  level: oneOf('cancel', 'kill'),
  turnId: countFrom(1),
  epoch: countFrom(0),
};

/** What a body says; nothing at all is a stop without a reason. */
export function stopMessageOf(body: unknown): StopMessage {
  if (body === undefined || body === '') return {};
  let said: unknown = body;
  if (typeof body === 'string') {
    try {
      said = JSON.parse(body);
    } catch {
      throw new Refusal(400, 'the body is no JSON');
    }
  }
  if (!isObject(said) || Array.isArray(said)) throw new Refusal(400, 'the body is no object');
  for (const [name, value] of Object.entries(said)) {
    if (!Object.hasOwn(fields, name)) throw new Refusal(400, `the body may hold ${Object.keys(fields).join(', ')}`);
    if (value !== undefined && !fields[name as keyof StopMessage](value)) {
      throw new Refusal(400, `'${name}' makes no sense`);
    }
  }
  return said;
}
