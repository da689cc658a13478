import { describe, expect, it } from 'vitest';

import { TurnOutput } from '../../../../src/adapters/terminal/output/turn-output.ts';
import { CancellationTokenSource } from '../../../../src/index.ts';

function setUp(): { source: CancellationTokenSource; output: TurnOutput; added: string[]; muted: TurnOutput[] } {
  const source = new CancellationTokenSource();
  const added: string[] = [];
  const muted: TurnOutput[] = [];
  const output = new TurnOutput(source.token, {
    add: (_from, text, done) => {
      added.push(text);
      done();
    },
    mute: (from) => muted.push(from),
  });
  return { source, output, added, muted };
}

describe('TurnOutput', () => {
  it('puts characters together that were cut into bytes', () => {
    const { output, added } = setUp();
    const bytes = Buffer.from('日');
    output.stream.write(bytes.subarray(0, 1));
    output.stream.write(bytes.subarray(1));
    expect(added).toEqual(['日']);
  });

  it('reads other encodings', () => {
    const { output, added } = setUp();
    output.stream.write('6869', 'hex');
    expect(added).toEqual(['hi']);
  });

  it('hands on an unfinished character and the end of the text', async () => {
    const { output, added } = setUp();
    output.stream.end(Buffer.from([0xe6]));
    await new Promise((resolve) => output.stream.once('close', resolve));
    expect(added).toEqual(['\ufffd', '']);
  });

  it('is muted as soon as the token reads cancelled, before its listeners run', () => {
    const { source, output, added, muted } = setUp();
    const early = new CancellationTokenSource();
    early.token.onCancelled(() => output.stream.write('late'));
    source.token.onCancelled(() => output.stream.write('later'));
    output.stream.write('in time');
    source.cancel();
    expect(output.stream.write('after')).toBe(true);
    expect(added).toEqual(['in time']);
    expect(muted).toEqual([output]);
  });

  it('does not listen to the token any more when it has ended', async () => {
    const { source, output, muted } = setUp();
    output.stream.end();
    await new Promise((resolve) => output.stream.once('close', resolve));
    source.cancel();
    expect(muted).toEqual([]);
  });
});
