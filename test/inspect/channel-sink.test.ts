import { channel } from 'node:diagnostics_channel';
import { expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { channelSink, record } from '../../src/inspect/index.ts';
import type { ChannelMessage } from '../../src/inspect/channel-sink.ts';

it('a subscriber of the channel hears of starts, stops and ends, until it leaves', async () => {
  const wire = channel('desist:test');
  const heard: string[] = [];
  const listener = (message: unknown): void => {
    const { type, operation } = message as ChannelMessage;
    heard.push(`${type} ${operation.kind}`);
  };
  const agent = new InterruptController({ name: 'main' });
  using _recording = record(agent, { sinks: [channelSink(wire)] });
  wire.subscribe(listener);
  await agent.runTurn(() => void agent.cancel('user'));
  wire.unsubscribe(listener);
  await agent.runTurn(() => 'unheard');
  expect(heard).toEqual(['started turn', 'stopping turn', 'ended turn']);
});

it('what is no channel is refused', () => {
  for (const wire of [undefined, null, 'desist', {}]) expect(() => channelSink(wire as never)).toThrow(TypeError);
});
