/**
 * How a proxy on loopback treats what goes through it, as it is told from another process.
 *
 * @module
 */

/** How a connection is treated from now on. */
export interface Manner {
  /** Milliseconds that each direction takes. */
  readonly delayMs: number;
  /** Up to so many milliseconds more, anew for each part; the order stays. */
  readonly jitterMs: number;
  /** Each byte is a part of its own. */
  readonly isByBytes: boolean;
  /** Each so many replies one is cut in its middle, with its connection; 0 for none. */
  readonly cutsEvery: number;
  /** New connections are ended at once. */
  readonly refuses: boolean;
  /** Where new connections lead to. */
  readonly target: number;
}

/** What is done once. `part` holds everything back until `heal`; `silence` loses it, on the connections that there are. */
export type Deed = 'cut' | 'silence' | 'part' | 'heal';

/** What the process of a proxy is told; it answers with the number. */
export interface ProxyOrder {
  readonly number: number;
  readonly manner?: Partial<Manner>;
  readonly deed?: Deed;
}
