import { expect, it } from 'vitest';
import { recorderKey } from '../../../../src/core/foundation/brand.ts';
import { recorderOf } from '../../../../src/core/interrupt/messages/loop-recorder.ts';
import { stage } from '../kit.ts';

it('a turn of an agent has no recorder, and what is no turn neither', async () => {
  const { agent } = stage();
  const report = await agent.runTurn((turn) => [turn, undefined, null, 'turn', {}].map(recorderOf));
  expect(report.unwrap()).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

it('a recorder is what somebody has put where the key says, which is the same in every copy of the package', () => {
  expect(Symbol.keyFor(recorderKey)).toBe('desist.loopRecorder');
  const recorder = {};
  expect(recorderOf({ [recorderKey]: recorder })).toBe(recorder);
});
