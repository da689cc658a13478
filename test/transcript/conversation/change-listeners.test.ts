import { expect, it } from 'vitest';

import { ChangeListeners } from '../../../src/transcript/conversation/change-listeners.ts';

it('nobody is asked for messages while nobody listens', () => {
  const listeners = new ChangeListeners<string>();
  let asked = 0;
  const messages = (): string[] => [String(++asked)];
  listeners.changed(messages);
  expect(asked).toBe(0);
  const heard: string[][] = [];
  const end = listeners.add((given) => heard.push(given));
  listeners.changed(messages);
  end();
  listeners.changed(messages);
  expect([asked, heard]).toEqual([1, [['1']]]);
});

it('one function that listens twice hears twice, until each is ended', () => {
  const listeners = new ChangeListeners<string>();
  let heard = 0;
  const listen = (): void => {
    heard += 1;
  };
  const ends = [listeners.add(listen), listeners.add(listen)];
  listeners.changed(() => []);
  ends[0]?.();
  listeners.changed(() => []);
  expect(heard).toBe(3);
});
