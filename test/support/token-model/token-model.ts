/**
 * What a forest of tokens should do, written so that it can be seen to be right: everything at once, recursively, by
 * searching lists. The real one is lazy and iterative; the properties hold the two against each other.
 *
 * @module
 */
import type { TokenForest, TokenKind, TokenModelOptions, TokenRung } from './token-forest.ts';

const nothing = (): void => undefined;

interface Listener {
  readonly rung: TokenRung;
  readonly run: () => void;
}

class ModelNode {
  parents: readonly ModelNode[];
  readonly kind: TokenKind;
  links: ModelNode[] = [];
  listeners: Listener[] = [];
  cause: string | undefined;
  /** Its place in the order of cancels, and in that of kills; 0 where there was none. */
  cancelledAt = 0;
  killedAt = 0;
  frozen = false;
  /** What it said when it was released, and says for ever. */
  said: string | undefined;
  /** How many walks are at this node: it stays linked meanwhile. */
  held = 0;

  constructor(kind: TokenKind, parents: readonly ModelNode[]) {
    this.kind = kind;
    this.parents = parents;
  }

  get killed(): boolean {
    return this.killedAt > 0;
  }

  get watched(): number {
    return this.listeners.length + this.links.length;
  }
}

interface ModelAlarm {
  readonly node: ModelNode;
  readonly at: number;
  readonly order: number;
  readonly id: string;
  readonly rung: TokenRung;
}

/**
 * The naive model of a forest of tokens: eager, recursive, slow. Time stands still until `advance`.
 */
export class TokenModel implements TokenForest {
  readonly #nodes: ModelNode[] = [];
  #alarms: ModelAlarm[] = [];
  #now = 0;
  #order = 0;
  readonly #report: () => void;
  readonly #undecided: () => void;

  /** @param options What it tells whoever plays with it. */
  constructor({ onError = nothing, onUndecided = nothing }: TokenModelOptions = {}) {
    this.#report = onError;
    this.#undecided = onUndecided;
  }

  get size(): number {
    return this.#nodes.length;
  }

  make(kind: TokenKind, numbers: readonly number[]): void {
    let parents = numbers.map((number) => this.#at(number));
    // A link to a link is laid to what that one follows.
    if (kind === 'any') parents = parents.flatMap((parent) => (parent.kind === 'any' ? parent.parents : [parent]));
    const node = new ModelNode(kind, [...new Set(parents)]);
    this.#nodes.push(node);
    this.#pull(node);
  }

  /** What a node's parents make of it: the earliest of any, the last of all; only kill passes a shield. */
  #pull(node: ModelNode): void {
    if (node.parents.length === 0) return;
    const all = node.kind === 'all';
    const pick = (at: 'cancelledAt' | 'killedAt'): ModelNode | undefined => {
      const reached = node.parents.filter((parent) => parent[at] > 0);
      if (all && reached.length < node.parents.length) return undefined;
      // Of those that one kill reached at once, the one named first.
      return reached.sort((a, b) => (all ? b[at] - a[at] : a[at] - b[at]))[0];
    };
    const killer = pick('killedAt');
    const canceller = node.kind === 'shield' ? killer : pick('cancelledAt');
    if (canceller !== undefined && node.cause === undefined) {
      node.cause = canceller.cause;
      node.cancelledAt = node.kind === 'shield' ? canceller.killedAt : canceller.cancelledAt;
    }
    if (killer !== undefined && !node.killed) node.killedAt = killer.killedAt;
  }

  #mark(node: ModelNode, id: string, rung: TokenRung): void {
    if (node.cause === undefined) Object.assign(node, { cause: id, cancelledAt: ++this.#order });
    if (rung === 'kill') node.killedAt = ++this.#order;
    // Parents are older than their children.
    for (const each of this.#nodes) this.#pull(each);
    this.#tell(node, rung === 'kill');
  }

  /**
   * Own callbacks, then the children's; a callback is forgotten before it runs. Who hears of a kill is not asked of the
   * way there: it may lead past a token that the kill has only cancelled.
   */
  #tell(node: ModelNode, killing: boolean): void {
    node.held++;
    for (const rung of killing && node.killed ? (['cancel', 'kill'] as const) : (['cancel'] as const)) {
      for (let next = this.#next(node, rung); next !== undefined; next = this.#next(node, rung)) {
        node.listeners = node.listeners.filter((listener) => listener !== next);
        this.#call(next);
      }
    }
    for (const kid of [...node.links]) {
      if (!node.links.includes(kid) || kid.cause === undefined) continue;
      // A walk that comes to where another one is already telling a kill: everybody hears, from one or the other.
      if (kid.held > 0 && kid.killed) this.#undecided();
      // Where a released token stands among those beside it is nobody's promise, and what has several parents may be
      // reached through it or past it.
      if (kid.frozen && kid.links.some(({ parents }) => parents.length > 1)) this.#undecided();
      this.#tell(kid, killing);
    }
    node.held--;
    // One that tells only a cancel leaves them for the one that tells the kill.
    if (killing && node.killed) node.links = [];
    this.#unlink(node);
  }

  #next(node: ModelNode, rung: TokenRung): Listener | undefined {
    return node.listeners.find((listener) => listener.rung === rung);
  }

  #call(listener: Listener): void {
    try {
      listener.run();
    } catch {
      this.#report();
    }
  }

  #link(node: ModelNode): void {
    const parents = node.parents.filter((parent) => !parent.killed);
    const fresh = parents.filter((parent) => parent.watched + parent.held === 0);
    for (const parent of parents) parent.links.push(node);
    for (const parent of fresh) this.#link(parent);
  }

  #unlink(node: ModelNode): void {
    if (node.watched + node.held > 0) return;
    for (const parent of node.parents) {
      if (!parent.links.includes(node)) continue;
      parent.links = parent.links.filter((kid) => kid !== node);
      this.#unlink(parent);
    }
  }

  cancel(number: number, id: string, graceMs: number | undefined): boolean | undefined {
    const node = this.#at(number);
    if (isPassive(node)) return undefined;
    const won = node.cause === undefined && !node.frozen;
    if (won) this.#mark(node, id, 'cancel');
    if (graceMs !== undefined && !node.frozen && !node.killed) {
      const at = this.#now + graceMs;
      const armed = this.#alarms.find((alarm) => alarm.node === node && alarm.rung === 'kill');
      if (armed === undefined || armed.at > at) this.#arm(node, at, id, 'kill');
    }
    return won;
  }

  kill(number: number, id: string): boolean | undefined {
    const node = this.#at(number);
    if (isPassive(node)) return undefined;
    if (node.killed || node.frozen) return false;
    this.#mark(node, id, 'kill');
    return true;
  }

  abort(number: number, id: string): void {
    const node = this.#at(number);
    if (node.kind === 'foreign' && node.cause === undefined) this.#mark(node, id, 'cancel');
  }

  release(number: number): void {
    const node = this.#at(number);
    if (isPassive(node) || node.frozen) return;
    node.said = this.read(number);
    Object.assign(node, { frozen: true, listeners: [] });
    this.#alarms = this.#alarms.filter((alarm) => alarm.node !== node);
    this.#unlink(node);
  }

  limit(number: number, ms: number, id: string): void {
    const node = this.#at(number);
    if (isPassive(node)) return;
    this.#alarms = this.#alarms.filter((alarm) => alarm.node !== node || alarm.rung === 'kill');
    if (node.cause !== undefined || node.frozen) return;
    if (ms > 0) {
      this.#arm(node, this.#now + ms, id, 'cancel');
      return;
    }
    // What has passed above came first.
    const above = this.#limitsAbove(node).filter(({ at }) => at <= this.#now);
    for (const due of above.sort((a, b) => a.at - b.at || a.order - b.order)) {
      this.#alarms = this.#alarms.filter((alarm) => alarm !== due);
      if (due.node.cause === undefined) this.#mark(due.node, due.id, 'cancel');
    }
    if (this.read(number) === 'live') this.#mark(node, id, 'cancel');
  }

  #limitsAbove(node: ModelNode): ModelAlarm[] {
    const above = new Set([node]);
    for (const each of above) if (each.kind !== 'shield') for (const parent of each.parents) above.add(parent);
    return this.#alarms.filter((alarm) => alarm.rung === 'cancel' && above.has(alarm.node));
  }

  #arm(node: ModelNode, at: number, id: string, rung: TokenRung): void {
    this.#alarms = this.#alarms.filter((alarm) => alarm.node !== node || alarm.rung !== rung);
    this.#alarms.push({ node, at, id, rung, order: ++this.#order });
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = this.#alarms.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at || a.order - b.order);
      if (next === undefined) break;
      this.#alarms = this.#alarms.filter((alarm) => alarm !== next);
      this.#now = Math.max(this.#now, next.at);
      const { node, rung, id } = next;
      if (rung === 'kill' ? !node.killed : node.cause === undefined) this.#mark(node, id, rung);
    }
    this.#now = until;
  }

  on(number: number, rung: TokenRung, run: () => void): () => boolean {
    const node = this.#at(number);
    let ran = false;
    const listener: Listener = {
      rung,
      run: () => {
        ran = true;
        run();
      },
    };
    const said = this.read(number);
    if (rung === 'kill' ? said.endsWith('!') : said !== 'live') this.#call(listener);
    else if (!node.frozen) {
      if (node.watched + node.held === 0) this.#link(node);
      node.listeners.push(listener);
    }
    return () => {
      if (ran) return false;
      node.listeners = node.listeners.filter((one) => one !== listener);
      this.#unlink(node);
      return true;
    };
  }

  read(number: number): string {
    const { cause, killed, said } = this.#at(number);
    if (said !== undefined) return said;
    return cause === undefined ? 'live' : `${cause}${killed ? '!' : ''}`;
  }

  watched(number: number): number {
    const node = this.#at(number);
    return node.frozen ? 0 : Math.min(1, node.watched);
  }

  #at(number: number): ModelNode {
    const node = this.#nodes[number];
    if (node === undefined) throw new RangeError(`there is no token ${String(number)}`);
    return node;
  }
}

/** Nobody holds a source of it. */
function isPassive({ kind }: ModelNode): boolean {
  return kind === 'any' || kind === 'all' || kind === 'foreign';
}
