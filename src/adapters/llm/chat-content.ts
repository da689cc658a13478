/**
 * What a Chat Completions message says besides its calls, as servers of many makers stream it.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';
import { listIn, parseArguments, textIn } from './folds/fold.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a piece of content says. */
export interface Words {
  readonly text: string;
  readonly thought: string;
}

/** The words of a content that may be a list of parts; thoughts in it are the model's work, and not its answer. */
export function wordsIn(content: unknown): Words {
  if (typeof content === 'string') return { text: content, thought: '' };
  let [text, thought] = ['', ''];
  for (const part of listIn(content)) {
    if (!isObject(part)) continue;
    const fields = part as Fields;
    text += textIn(fields['text']);
    const { text: own, thought: deeper } = wordsIn(fields['thinking']);
    thought += own + deeper;
  }
  return { text, thought };
}

/** What else the message holds, without half a call of the old form; of sound that was not stored, what it says. */
export function said(own: Fields, isStopped: boolean): Fields {
  if (!('function_call' in own || 'audio' in own)) return own;
  const { function_call: call, audio, ...rest } = own;
  const isCalled = isStopped && parseArguments(textIn((call as Fields | undefined)?.['arguments']));
  const isHeard = isObject(audio) && 'expires_at' in audio;
  const spoken = isObject(audio) && !isHeard ? textIn((audio as Fields)['transcript']) : '';
  return {
    ...rest,
    ...(spoken !== '' && { content: spoken }),
    ...(call !== undefined && isCalled && { function_call: call }),
    ...(isHeard && { audio }),
  };
}
