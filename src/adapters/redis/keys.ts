/**
 * What everything in a namespace is called.
 *
 * Invariant: the braces keep all of it in one slot of a cluster, and under one pattern of an access list.
 *
 * @module
 */

/** The names of everything in a namespace. */
export class Keys {
  readonly #prefix: string;

  constructor(namespace: string) {
    this.#prefix = `{${namespace}}:stop:`;
  }

  get records(): string {
    return `${this.#prefix}run:`;
  }

  record(runId: string): string {
    return `${this.records}${runId}`;
  }

  inbox(node: string): string {
    return `${this.#prefix}inbox:${node}`;
  }

  /** Of a group, as an inbox is of a node. */
  group(name: string): string {
    return `${this.#prefix}group:${name}`;
  }

  /** Since when there are records. */
  get since(): string {
    return `${this.#prefix}since`;
  }

  lease(node: string): string {
    return `${this.#prefix}lease:${node}`;
  }

  channel(node: string): string {
    return `${this.#prefix}wake:${node}`;
  }
}
