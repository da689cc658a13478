/** What the backend uses of a NATS client, by structure: nothing of it is imported. */

/** What is used of `@nats-io/kv`. */
export interface Entry {
  readonly value: Uint8Array;
  readonly revision: number;
  readonly created: Date;
  readonly operation: string;
}
export interface Bucket {
  get(key: string): Promise<Entry | null>;
  put(key: string, data: Uint8Array, options?: { previousSeq: number }): Promise<number>;
  delete(key: string, options?: { previousSeq: number }): Promise<void>;
  keys(filter: string): Promise<AsyncIterable<string>>;
}
/** What is used of `@nats-io/nats-core`. */
export interface Connection {
  publish(subject: string, data: Uint8Array): void;
  subscribe(
    subject: string,
    options: { callback: (error: Error | null, message: { data: Uint8Array }) => void },
  ): unknown;
  flush(): Promise<void>;
  status(): AsyncIterable<{ readonly type: string }>;
  close(): Promise<void>;
}

/** How to reach NATS. */
export interface NatsBackendOptions<C extends Connection> {
  /** Makes a connection, which is closed by the backend. */
  readonly connect: () => Promise<C>;
  /** Opens the bucket that everybody shares; what it is asked for has to settle within `timeoutMs`. */
  readonly bucket: (connection: C, timeoutMs: number) => Promise<Bucket>;
}

/** One connection, and the bucket over it. */
export interface Link {
  readonly connection: Connection;
  readonly bucket: Bucket;
}
