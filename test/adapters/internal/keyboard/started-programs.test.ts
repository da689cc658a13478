import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';

import { expect, it } from 'vitest';

import { onPrograms } from '../../../../src/adapters/internal/keyboard/started-programs.ts';

const started = channel('child_process');

it('programs are told of before their start and at their end, as long as somebody listens', () => {
  let told = 0;
  const listening = onPrograms(() => (told += 1));
  const [one, other] = [new EventEmitter(), new EventEmitter()];
  started.publish({ process: one });
  started.publish(undefined); // of somebody else
  expect(told).toBe(2);
  one.emit('exit');
  one.emit('exit');
  expect(told).toBe(3);
  started.publish({ process: other });
  listening.release();
  expect(other.listenerCount('exit')).toBe(0);
  other.emit('exit');
  started.publish({ process: new EventEmitter() });
  expect([told, started.hasSubscribers]).toEqual([4, false]);
});
