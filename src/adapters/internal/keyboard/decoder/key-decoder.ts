/**
 * Bytes of a terminal in, events out: a state machine without streams, timers or memory of time.
 *
 * Invariants:
 * - **K1** Where the chunks are cut changes nothing: same bytes and same `flush()` points, same events in the same order.
 * - **K2** A byte that is ESC or Ctrl+C is never lost, unless it is inside a paste or part of a complete sequence: a
 *   control byte aborts whatever was unfinished.
 * - **K3** Bounded: a sequence keeps 256 bytes, a string 64 Ki, a paste 16 Mi.
 *
 * Time comes from outside: while `pending` is `escape`, silence of the escape timeout, while it is anything else, silence
 * of about a second, should end in `flush()`.
 *
 * Prior art: Paul Williams' DEC parser, xterm's ctlseqs.
 *
 * @module
 */
import { ByteBuffer } from './byte-buffer.ts';
import { isFinal, readCsi, readLinux, readSs3, type Meaning } from './csi.ts';
import { isControl, press, pressCharacter, pressControl, type KeyEvent } from './key-event.ts';
import { PasteCollector } from './paste.ts';
import { replacement, Utf8Collector } from './utf8.ts';

export type { FocusChange, KeyEvent, KeyPress, Paste, TerminalReport } from './key-event.ts';

const ESC = 0x1b;
const CSI_CAP = 256;
const STRING_CAP = 65_536;
const PASTE_CAP = 16_777_216;

/** `escape-2` is ESC ESC: two presses, or Alt with a key that follows. `string-escape`: perhaps the end of a string. */
type State = 'ground' | 'utf8' | 'escape' | 'escape-2' | 'csi' | 'linux' | 'mouse' | 'ss3' | 'string' | 'string-escape' | 'paste'; // prettier-ignore

/** The introducers of OSC, DCS, SOS, PM and APC strings. */
const stringStarts = ']PX^_';

/** One keyboard's decoder; it keeps the unfinished part of what it was fed. */
export class KeyDecoder {
  #state: State = 'ground';
  /** The unfinished sequence, its introducer left out. */
  readonly #body = new ByteBuffer(CSI_CAP);
  readonly #paste = new PasteCollector(PASTE_CAP);
  readonly #character = new Utf8Collector();
  /** An ESC stands in front of the sequence: Alt, or a press of its own. */
  #prefixed = false;
  #stringStart = '';
  #stringLength = 0;
  #events: KeyEvent[] = [];

  /**
   * What only time can decide: nothing, whether an ESC was a key, whether one ended an answer, or whether a sequence was cut off.
   */
  get pending(): false | 'escape' | 'string-end' | 'sequence' {
    switch (this.#state) {
      case 'ground':
        return false;
      case 'escape':
      case 'escape-2':
      case 'ss3':
        return 'escape';
      case 'string-escape':
        return this.#stringLength === 0 ? 'escape' : 'string-end';
      case 'csi':
        return this.#body.length === 0 ? 'escape' : 'sequence';
      case 'string':
        return this.#stringLength === 0 ? 'escape' : 'sequence';
      default:
        return 'sequence';
    }
  }

  /** Takes a chunk; the events that are certain by now. */
  feed(chunk: Uint8Array): KeyEvent[] {
    for (const byte of chunk) this.#states[this.#state](byte);
    return this.#take();
  }

  /** Says that nothing more is coming: what was unfinished is a key after all, or noise. */
  flush(): KeyEvent[] {
    if (this.#state === 'paste') this.#emit(this.#paste.heal());
    else if (this.#state !== 'ground') this.#abort();
    this.#state = 'ground';
    return this.#take();
  }

  #take(): KeyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #emit(event: KeyEvent): void {
    this.#events.push(event);
  }

  /** What a byte means in each state. */
  readonly #states: Readonly<Record<State, (byte: number) => void>> = {
    ground: (byte) => this.#ground(byte),
    utf8: (byte) => this.#utf8(byte),
    escape: (byte) => this.#escape(byte),
    'escape-2': (byte) => this.#escape2(byte),
    csi: (byte) => this.#csi(byte),
    linux: (byte) => this.#linux(byte),
    mouse: (byte) => this.#mouse(byte),
    ss3: (byte) => this.#ss3(byte),
    string: (byte) => this.#string(byte),
    'string-escape': (byte) => this.#stringEscape(byte),
    paste: (byte) => this.#pasted(byte),
  };

  #ground(byte: number): void {
    if (byte === ESC) {
      this.#prefixed = false;
      this.#state = 'escape';
    } else if (isControl(byte)) this.#emit(pressControl(byte));
    else if (byte < 0x80) this.#emit(pressCharacter(String.fromCharCode(byte)));
    else this.#startUtf8(byte);
  }

  #startUtf8(lead: number): void {
    if (this.#character.start(lead)) {
      this.#state = 'utf8';
      return;
    }
    this.#state = 'ground';
    this.#emit(pressCharacter(replacement, { alt: this.#takePrefix() }));
  }

  #utf8(byte: number): void {
    const read = this.#character.push(byte);
    if (read === undefined) return;
    if (read === 'broken') {
      this.#abortAt(byte);
      return;
    }
    this.#state = 'ground';
    const alt = this.#takePrefix();
    for (const character of read.text) this.#emit(pressCharacter(character, { alt }));
  }

  /** After one ESC. */
  #escape(byte: number): void {
    const character = String.fromCharCode(byte);
    if (byte === ESC) this.#state = 'escape-2';
    else if (this.#introduces(character)) return;
    else if (byte === 0x03) {
      // A person hitting everything at once: Ctrl+C must not hide behind Alt.
      this.#state = 'ground';
      this.#emit(press('escape'));
      this.#emit(pressControl(byte));
    } else if (byte >= 0x80) {
      this.#prefixed = true;
      this.#startUtf8(byte);
    } else {
      this.#state = 'ground';
      this.#emit(isControl(byte) ? pressControl(byte, { alt: true }) : pressCharacter(character, { alt: true }));
    }
  }

  /** After ESC ESC: Alt with a key that has a sequence of its own, else two presses. */
  #escape2(byte: number): void {
    if (byte === ESC) {
      this.#emit(press('escape'));
      return;
    }
    this.#prefixed = true;
    if (this.#introduces(String.fromCharCode(byte))) return;
    this.#prefixed = false;
    this.#emit(press('escape'));
    this.#emit(press('escape'));
    this.#state = 'ground';
    this.#ground(byte);
  }

  /** Enters the state that an ESC and this character introduce; whether they do. */
  #introduces(character: string): boolean {
    this.#body.clear();
    if (character === '[') this.#state = 'csi';
    else if (character === 'O') this.#state = 'ss3';
    else if (stringStarts.includes(character)) {
      this.#state = 'string';
      this.#stringStart = character;
      this.#stringLength = 0;
    } else return false;
    return true;
  }

  #csi(byte: number): void {
    if (byte < 0x20 || byte >= 0x7f) {
      this.#abortAt(byte);
      return;
    }
    if (this.#body.length === 0 && byte === 0x5b) {
      this.#state = 'linux';
      return;
    }
    if (this.#body.length === 0 && byte === 0x4d) {
      this.#state = 'mouse';
      return;
    }
    this.#body.push(byte);
    if (!isFinal(byte)) return;
    // K3: what was too long to keep is noise of known length, no key.
    if (this.#body.overflowed) this.#finish({ kind: 'event', event: undefined });
    else this.#finish(readCsi(this.#body.latin1()));
  }

  #linux(byte: number): void {
    if (isFinal(byte)) this.#finish(readLinux(String.fromCharCode(byte)));
    else this.#abortAt(byte);
  }

  #pasted(byte: number): void {
    const event = this.#paste.push(byte);
    if (event === undefined) return;
    this.#state = 'ground';
    this.#emit(event);
  }

  /** X10's mouse report: three bytes that may look like anything but a control byte. */
  #mouse(byte: number): void {
    if (byte < 0x20) {
      this.#abortAt(byte);
      return;
    }
    this.#body.push(byte);
    const sequence = `M${this.#body.latin1()}`;
    if (sequence.length === 4) this.#finish({ kind: 'event', event: { type: 'mouse', sequence } });
  }

  #ss3(byte: number): void {
    const meaning = isFinal(byte) ? readSs3(String.fromCharCode(byte)) : undefined;
    if (meaning === undefined) this.#abortAt(byte);
    else this.#finish(meaning);
  }

  #string(byte: number): void {
    if (byte === ESC) this.#state = 'string-escape';
    else if (byte === 0x07) this.#finish({ kind: 'event', event: undefined });
    else if (isControl(byte) || this.#stringLength >= STRING_CAP) this.#abortAt(byte);
    else this.#stringLength++;
  }

  #stringEscape(byte: number): void {
    if (byte === 0x5c) {
      this.#finish({ kind: 'event', event: undefined });
      return;
    }
    this.#state = 'string'; // it broke off, and this ESC began something else
    this.#abort();
    this.#state = 'escape';
    this.#escape(byte);
  }

  #takePrefix(): boolean {
    const prefixed = this.#prefixed;
    this.#prefixed = false;
    return prefixed;
  }

  /** A sequence is complete. */
  #finish(meaning: Meaning): void {
    this.#state = meaning.kind === 'paste-start' ? 'paste' : 'ground';
    const prefixed = this.#takePrefix();
    if (meaning.kind === 'key') {
      this.#emit(prefixed ? { ...meaning.key, alt: true, text: '' } : meaning.key);
      return;
    }
    if (prefixed) this.#emit(press('escape'));
    if (meaning.kind === 'event' && meaning.event !== undefined) this.#emit(meaning.event);
  }

  /** The byte does not belong to what was unfinished: settle that, then read the byte afresh (K2). */
  #abortAt(byte: number): void {
    this.#abort();
    this.#state = 'ground';
    this.#ground(byte);
  }

  /** Settles what is unfinished: the presses it can be taken for, else nothing. */
  #abort(): void {
    const prefixed = this.#takePrefix();
    const state = this.#state;
    if (state === 'utf8') {
      this.#emit(pressCharacter(replacement, { alt: prefixed }));
      return;
    }
    if (prefixed) this.#emit(press('escape'));
    if (state === 'ss3') this.#emit(pressCharacter('O', { alt: true }));
    if (state === 'csi' && this.#body.length === 0) this.#emit(pressCharacter('[', { alt: true }));
    if (state === 'string' || state === 'string-escape') this.#abortString();
    if (state === 'escape' || state === 'escape-2' || state === 'string-escape') this.#emit(press('escape'));
    if (state === 'escape-2') this.#emit(press('escape'));
  }

  /** ESC and an introducer with nothing behind it was Alt with that key. */
  #abortString(): void {
    if (this.#stringLength === 0) this.#emit(pressCharacter(this.#stringStart, { alt: true }));
  }
}
