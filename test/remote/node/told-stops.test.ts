import { describe, expect, it } from 'vitest';

import type { StopReport } from '../../../src/index.ts';
import { ToldStops, UNWRITTEN } from '../../../src/remote/node/told-stops.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { entry, report } from '../kit.ts';

function stage() {
  const heard: string[] = [];
  let changes = 0;
  const told = new ToldStops(() => changes++);
  const end = deferred<StopReport>();
  const tell = (stop: ReturnType<typeof entry>): void => {
    told.tell(stop, () => {
      heard.push(`${stop.id} ${stop.level}`);
      return end.promise;
    });
  };
  return { told, heard, tell, end, changes: () => changes };
}

describe('what a hosting was told', () => {
  it('what a hosting was told is told once, and once more as a kill', () => {
    const { tell, heard, told } = stage();
    for (const stop of [entry('s'), entry('s'), entry('s', { level: 'kill', upgradedBy: 'k' })]) tell(stop);
    tell(entry('s', { level: 'kill', upgradedBy: 'k' }));
    expect(heard).toEqual(['s cancel', 's kill']);
    expect(told.reportOf('k')).toBeInstanceOf(Promise);
  });

  it('what a hosting was told is observed at once, and settled with its report', async () => {
    const { tell, told, end, changes } = stage();
    tell(entry('s'));
    expect([told.stops.map(({ phase }) => phase), changes()]).toEqual([['observed'], 1]);
    end.resolve(report);
    await told.reportOf('s');
    expect([told.stops[0]?.phase, changes()]).toEqual(['settled', 2]);
    expect(told.stops[0]?.report).toMatchObject({ l: ['deaf'] });
  });

  it('what a hosting was told stays observed when it cannot say what became of it', async () => {
    const { tell, told, end } = stage();
    tell(entry('s'));
    end.reject(new Error('lost'));
    await told.reportOf('s')?.catch(() => undefined);
    expect(told.stops[0]?.phase).toBe('observed');
  });

  it('what a hosting was told by its own process is for the engine when the engine has it', () => {
    const { tell, told, heard } = stage();
    tell(entry('s', { at: UNWRITTEN }));
    expect(told.stops).toEqual([]);
    tell(entry('s', { at: 40, members: [{ id: 'm', node: 'n' }] }));
    expect(told.stops).toMatchObject([{ phase: 'observed', at: 40, members: [{ id: 'm' }] }]);
    expect(heard).toHaveLength(1);
  });

  it('what a hosting was told long ago, and is over, is forgotten', async () => {
    const { tell, told, end } = stage();
    for (let n = 0; n < 300; n++) tell(entry(String(n)));
    told.forget();
    expect(told.stops).toHaveLength(300);
    end.resolve(report);
    await told.reportOf('299');
    told.forget();
    expect([told.stops.length, told.stops[0]?.id]).toEqual([256, '44']);
  });
});
