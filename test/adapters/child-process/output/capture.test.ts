import { PassThrough, Writable } from 'node:stream';

import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';

import { OutputCapture } from '../../../../src/adapters/child-process/output/capture.ts';

const nobody = { onOutput: () => undefined, onEnd: () => undefined };

/** Feeds chunks as a flowing stream would. */
function captured(chunks: readonly (string | Uint8Array)[], maxBytes: number): OutputCapture {
  const stream = new PassThrough();
  const capture = new OutputCapture(stream, maxBytes, nobody);
  for (const chunk of chunks) stream.emit('data', Buffer.from(chunk as string));
  return capture;
}

describe('OutputCapture', () => {
  it('keeps everything within the bound', () => {
    expect(captured(['he', 'llo'], 5).read('utf8')).toEqual({ text: 'hello', droppedBytes: 0 });
    expect(captured(['x'.repeat(100)], Infinity).read('utf8').text).toHaveLength(100);
    expect(captured([], 5).read('utf8')).toEqual({ text: '', droppedBytes: 0 });
  });

  it('over the bound keeps the first and the last half and counts the hole', () => {
    expect(captured(['abcdefghij'], 6).read('utf8')).toEqual({
      text: 'abc\n[... 4 bytes left out ...]\nhij',
      droppedBytes: 4,
    });
    expect(captured(Array.from('abcdefghij'), 6).read('utf8').text).toBe('abc\n[... 4 bytes left out ...]\nhij');
  });

  it('never loses the end silently, whatever the chunks', () => {
    expect(captured(['abc'], 0).read('utf8')).toEqual({ text: '\n[... 3 bytes left out ...]\n', droppedBytes: 3 });
    expect(captured(['abc'], 1).read('utf8')).toEqual({ text: 'a\n[... 2 bytes left out ...]\n', droppedBytes: 2 });
  });

  it('cuts between characters, not through them', () => {
    // Four characters of 2, 3, 4 and 4 bytes; halves of 7 and 7 bytes would cut the third and the last but one.
    expect(captured(['é€😀😀😀'], 14).read('utf8')).toEqual({
      text: 'é€\n[... 8 bytes left out ...]\n😀',
      droppedBytes: 8,
    });
    expect(captured(['ééé'], 3).read('latin1').droppedBytes).toBe(3);
  });

  it('takes strings too: somebody may have called setEncoding', () => {
    const stream = new PassThrough();
    const capture = new OutputCapture(stream, 100, nobody);
    stream.emit('data', 'é');
    expect(capture.read('utf8').text).toBe('é');
  });

  it('leaves no listener', () => {
    const stream = new PassThrough();
    const before = stream.eventNames().map((name) => [name, stream.listenerCount(name)]);
    new OutputCapture(stream, 100, nobody).release();
    expect(stream.eventNames().map((name) => [name, stream.listenerCount(name)])).toEqual(before);
  });

  it('is empty without a stream', () => {
    const capture = new OutputCapture(null, 100, nobody);
    capture.release();
    expect(capture.read('utf8')).toEqual({ text: '', droppedBytes: 0 });
  });

  it('listens beside a slower reader without losing its share', async () => {
    const stream = new PassThrough();
    const capture = new OutputCapture(stream, 100_000, nobody);
    const seen: string[] = [];
    const slow = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _, done) {
        seen.push(chunk.toString());
        setImmediate(done);
      },
    });
    stream.pipe(slow);
    for (let i = 0; i < 50; i += 1) stream.write(`${String(i)};`);
    stream.end();
    await new Promise((resolve) => slow.once('finish', resolve));
    expect(capture.read('utf8').text).toBe(seen.join(''));
  });

  describe('a paused stream', () => {
    /** What Node does with the streams of a child, after its `exit`. */
    const ended = (stream: PassThrough, capture: OutputCapture) => {
      capture.drain();
      process.nextTick(() => stream.resume());
      return new Promise((resolve) => setImmediate(resolve));
    };

    it.each(['before', 'after'])('keeps what came for its reader, whose writer ended it %s it exited', async (when) => {
      const stream = new PassThrough();
      const capture = new OutputCapture(stream, 100, nobody);
      stream.pause();
      stream.write('one\n');
      if (when === 'before') stream.end();
      await ended(stream, capture);
      if (when === 'after') stream.end();
      await new Promise((resolve) => setImmediate(resolve));
      expect([stream.isPaused(), capture.hasEnded, capture.read('utf8').text]).toEqual([true, true, 'one\n']);
      capture.release();
      let seen = '';
      for await (const chunk of stream) seen += String(chunk);
      expect(seen).toBe('one\n');
    });

    it('gives its reader nothing until that resumes it', async () => {
      const stream = new PassThrough();
      const capture = new OutputCapture(stream, 100, nobody);
      let seen = '';
      stream.on('data', (chunk: Buffer) => (seen += chunk.toString()));
      stream.pause();
      stream.write('one\n');
      await ended(stream, capture);
      expect(seen).toBe('');
      stream.resume();
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen).toBe('one\n');
      expect(Object.hasOwn(stream, 'resume')).toBe(false);
    });

    it('flows when its reader resumes it in the tick of the exit', async () => {
      const stream = new PassThrough();
      const capture = new OutputCapture(stream, 100, nobody);
      stream.pause();
      stream.write('one\n');
      const end = ended(stream, capture);
      process.nextTick(() => stream.resume());
      await end;
      expect([stream.isPaused(), stream.readableLength]).toEqual([false, 0]);
    });

    it('that is not paused is emptied as it was', async () => {
      const stream = new PassThrough();
      const capture = new OutputCapture(stream, 100, nobody);
      stream.write('one\n');
      await ended(stream, capture);
      expect([stream.isPaused(), stream.readableLength, Object.hasOwn(stream, 'resume')]).toEqual([false, 0, false]);
    });
  });

  test.prop([fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 12 }), fc.nat(20)])(
    'what is kept is a start and an end of what came, and the count is exact',
    (chunks, maxBytes) => {
      const all = Buffer.concat(chunks);
      const { text, droppedBytes } = captured(chunks, maxBytes).read('latin1');
      if (all.length <= maxBytes) {
        expect([text, droppedBytes]).toEqual([all.toString('latin1'), 0]);
        return;
      }
      const head = all.toString('latin1', 0, Math.ceil(maxBytes / 2));
      const tail = all.toString('latin1', all.length - Math.floor(maxBytes / 2));
      expect(droppedBytes).toBe(all.length - maxBytes);
      expect(text).toBe(`${head}\n[... ${String(droppedBytes)} bytes left out ...]\n${tail}`);
    },
  );
});
