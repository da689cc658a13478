import { describe, expect, it } from 'vitest';

import { UserMessages, type Steered } from '../../../src/adapters/pi/user-messages.ts';
import { stage } from '../../core/interrupt/kit.ts';

/** An agent of pi whose program has steered it once already. */
function steeredOnce(steeringMode?: string) {
  const queue: unknown[] = ['of the program'];
  const agent: Steered = { steeringMode, steer: ({ content }: { content?: unknown }) => void queue.push(content) };
  return { agent, queue };
}

describe('what the user said', () => {
  it('is one message, behind what the program steered, and all of it is for the next request', async () => {
    const { agent, queue } = steeredOnce('one-at-a-time');
    const { agent: controller } = stage({});
    await controller.runTurn((turn) => {
      const messages = new UserMessages(turn, agent);
      expect([messages.tell(), queue.length, agent.steeringMode]).toEqual([false, 1, 'one-at-a-time']);
      controller.interject('use pnpm');
      controller.interject('and hurry');
      expect(messages.tell()).toBe(true);
      expect(agent.steeringMode).toBe('all');
      expect(queue).toEqual(['of the program', expect.stringMatching(/use pnpm\n\n.*and hurry$/)]);
      controller.interject('please');
      messages.tell();
      messages.taken();
      expect(agent.steeringMode).toBe('one-at-a-time');
    });
  });

  it.each([[undefined], ['all']])('leaves a queue as it is whose mode is %s', async (mode) => {
    const { agent } = steeredOnce(mode);
    const { agent: controller } = stage({});
    await controller.runTurn((turn) => {
      const messages = new UserMessages(turn, agent);
      controller.interject('use pnpm');
      messages.tell();
      messages.taken();
      expect(agent.steeringMode).toBe(mode);
    });
  });

  it('leaves a queue as its owner has set it meanwhile', async () => {
    const { agent } = steeredOnce('one-at-a-time');
    const { agent: controller } = stage({});
    await controller.runTurn((turn) => {
      const messages = new UserMessages(turn, agent);
      controller.interject('use pnpm');
      messages.tell();
      agent.steeringMode = 'two-at-a-time';
      messages.taken();
      expect(agent.steeringMode).toBe('two-at-a-time');
    });
  });
});
