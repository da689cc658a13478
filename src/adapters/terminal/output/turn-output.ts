/**
 * One turn's way to the screen, as a `Writable`: passes on what a model or a tool writes, until the turn is cancelled,
 * and nothing from then on.
 *
 * @module
 */
import type { StringDecoder } from 'node:string_decoder';
import type { Writable } from 'node:stream';

import type { Registration, CancellationToken } from '../../../core/inside.ts';
import { nodeModule } from '../../internal/node-module.ts';
import { EscapeSplitter, type Piece } from './escape-splitter.ts';

/** Where a turn's output goes. */
export interface OutputSink {
  /** Takes the text in; calls back when more may come. */
  readonly add: (source: TurnOutput, text: string, done: () => void) => void;
  /** Takes it as it is, where there is no screen to keep whole. */
  readonly pass?: (chunk: string | Uint8Array, done: () => void) => void;
  /** The turn was cancelled: what it wrote and nobody has seen is to be forgotten. */
  readonly mute: (source: TurnOutput) => void;
}

/** The state behind one stream. */
export class TurnOutput {
  readonly #token: CancellationToken;
  readonly #sink: OutputSink;
  readonly #splitter = new EscapeSplitter();
  readonly #decoder: StringDecoder = new (nodeModule('node:string_decoder').StringDecoder)('utf8');
  readonly #registration: Registration;
  readonly stream: Writable;

  constructor(token: CancellationToken, sink: OutputSink) {
    this.#token = token;
    this.#sink = sink;
    this.stream = new (nodeModule('node:stream').Writable)({
      decodeStrings: false,
      write: (chunk: string | Buffer, encoding, done) => {
        this.#write(chunk, encoding, done);
      },
      final: (done) => {
        const rest = this.#decoder.end();
        if (rest !== '') this.#write(rest, 'utf8', () => undefined);
        if (sink.pass === undefined) sink.add(this, '', done);
        else done();
      },
      destroy: (error, done) => {
        this.#registration.unregister();
        done(error);
      },
    });
    this.#registration = token.onCancelled(() => {
      this.#splitter.clear();
      sink.mute(this);
    });
  }

  /** Read from the token: it holds before any listener was told. */
  get isMuted(): boolean {
    return this.#token.isCancelled;
  }

  /** What is whole by now; nothing (`''`) says that no more comes. */
  split(text: string): Piece[] {
    return text === '' ? this.#splitter.flush() : this.#splitter.split(text);
  }

  #write(chunk: string | Buffer, encoding: BufferEncoding | 'buffer', done: () => void): void {
    const bytes =
      typeof chunk !== 'string' || encoding === 'buffer' || /^utf-?8$/i.test(encoding)
        ? chunk
        : Buffer.from(chunk, encoding);
    if (this.#sink.pass !== undefined) {
      if (this.isMuted) done();
      else this.#sink.pass(bytes, done);
      return;
    }
    const text = typeof bytes === 'string' ? bytes : this.#decoder.write(bytes);
    if (this.isMuted || text === '') done();
    else this.#sink.add(this, text, done);
  }
}
