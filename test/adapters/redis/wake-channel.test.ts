import { describe, expect, it } from 'vitest';

import { WakeChannel } from '../../../src/adapters/redis/wake-channel.ts';
import { heldWires, type HeldWire } from './kit.ts';

function stage() {
  const { wiring, wires } = heldWires();
  const heard: string[] = [];
  const channel = new WakeChannel(wiring, 'c', {
    message: (text) => heard.push(text),
    resync: () => heard.push('resync'),
    down: (error) => heard.push(String(error)),
  });
  return { channel, heard, wire: wires[0] as HeldWire };
}

/** Lets promises settle. */
async function settled(): Promise<void> {
  for (let n = 0; n < 5; n++) await Promise.resolve();
}

describe('the channel of wake-ups', () => {
  it('the channel of wake-ups is subscribed once, when it is connected', async () => {
    const { channel, wire, heard } = stage();
    const subscribed = channel.subscribed();
    await settled();
    expect(wire.channels).toEqual([]);
    wire.events.ready();
    await subscribed;
    await channel.subscribed();
    wire.say('hello');
    expect([wire.channels, heard]).toEqual([['c'], ['hello']]);
  });

  it('the channel of wake-ups subscribes anew when it is connected again, and says that messages may be missing', async () => {
    const { channel, wire, heard } = stage();
    wire.events.ready();
    await channel.subscribed();
    wire.events.down(new Error('cut'));
    wire.events.ready();
    await settled();
    expect([heard, wire.channels]).toEqual([
      ['Error: cut', 'resync'],
      ['c', 'c'],
    ]);
  });

  it('the channel of wake-ups rejects while it cannot subscribe, and subscribes when it can', async () => {
    const { channel, wire, heard } = stage();
    wire.isRefusing = true;
    wire.events.down(new Error('refused'));
    await expect(channel.subscribed()).rejects.toThrow('not connected');
    wire.isRefusing = false;
    wire.events.ready();
    await settled();
    expect([wire.channels, heard]).toEqual([['c'], ['Error: refused', 'resync']]);
  });

  it('the channel of wake-ups is silent when it is closed', async () => {
    const { channel, wire, heard } = stage();
    wire.events.ready();
    await channel.subscribed();
    channel.close();
    wire.say('late');
    wire.events.down(new Error('cut'));
    wire.events.ready();
    await settled();
    expect([heard, wire.isClosed]).toEqual([[], true]);
  });
});
