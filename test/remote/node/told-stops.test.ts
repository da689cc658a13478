import { describe, expect, it } from 'vitest';

import type { StopReport } from '../../../src/index.ts';
import { isUnwritten, ToldStops } from '../../../src/remote/node/told-stops.ts';
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
    expect(told.stops).toMatchObject([{ id: 's', level: 'kill', phase: 'observed' }]);
  });

  it('what a hosting was told as a kill of an earlier stop is not told anew when the engine knows the kill alone', () => {
    const { tell, heard, told } = stage();
    tell(entry('s', { level: 'kill', upgradedBy: 'k' }));
    tell(entry('k', { level: 'kill' }));
    tell(entry('other', { level: 'kill', upgradedBy: 'k' }));
    expect(heard).toEqual(['s kill', 'other kill']);
    expect(told.stops.map(({ id, phase }) => `${id} ${phase}`)).toEqual(['s observed', 'k observed', 'other observed']);
  });

  it('what a hosting was told waits for the members that the record names', () => {
    const { tell, told } = stage();
    tell(entry('s'));
    told.learn([entry('s', { members: [{ id: 'm', node: 'n' }] }), entry('unknown')]);
    expect(told.stops).toMatchObject([{ id: 's', phase: 'observed', members: [{ id: 'm' }] }]);
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

  it('what a hosting was told by its own process is to be written until the engine has it', () => {
    const { tell, told, heard } = stage();
    for (const id of ['s', 't']) tell(entry(id, { at: -5 }));
    expect(told.stops.filter(isUnwritten).map(({ id }) => id)).toEqual(['s', 't']);
    told.learn([entry('t', { at: 39 })]);
    tell(entry('s', { at: 40, members: [{ id: 'm', node: 'n' }] }));
    expect(told.stops.filter(isUnwritten)).toEqual([]);
    expect(told.stops.slice(0, 1)).toMatchObject([{ phase: 'observed', at: 40, members: [{ id: 'm' }] }]);
    expect(heard).toHaveLength(2);
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
