import { expectTypeOf, it } from 'vitest';

import { CancellationTokenSource, InterruptController } from '../../src/index.ts';
import { record, timelineHtml, timelineText, type Recording, type Trace } from '../../src/inspect/index.ts';

it('record takes a controller of any message, or a source', () => {
  expectTypeOf(record(new InterruptController())).toEqualTypeOf<Recording>();
  expectTypeOf(record(new InterruptController<{ text: string }>())).toEqualTypeOf<Recording>();
  const recording = record(new CancellationTokenSource(), { maxOperations: undefined });
  expectTypeOf(recording.trace()).toEqualTypeOf<Trace>();
  expectTypeOf(recording.watch(new CancellationTokenSource().token, () => 7)).toEqualTypeOf<Promise<number>>();
  // @ts-expect-error a signal can only be listened to
  record(new AbortController().signal);
  expectTypeOf(timelineText).parameters.toEqualTypeOf<[Trace]>();
  expectTypeOf(timelineHtml).returns.toEqualTypeOf<string>();
});
