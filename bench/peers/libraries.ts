/**
 * The other libraries, each doing what its documentation shows: subscribe and unsubscribe, and a child that follows
 * its parent until it is let go.
 *
 * @module
 */
import { CancelToken } from '@esfx/canceltoken';
import { anySignal } from 'any-signal';
import cancellationTokenModule from 'cancellationtoken';
import { Subscription } from 'rxjs';
import { CancellationTokenSource as VSCodeSource } from 'vscode-jsonrpc/node';
import { keep } from '../harness.ts';

// Published as CommonJS with a `default`, which Node hands over as it is.
const { default: PeerToken } = cancellationTokenModule;

const noop = () => {};

/** What a library needs for the comparison; each function does its thing `count` times. */
export interface Peer {
  readonly register: (count: number) => void;
  readonly child: (count: number) => void;
  readonly childWithCallback: (count: number) => void;
}

function vscode(): Peer {
  const parent = new VSCodeSource().token;
  const child = (callback: boolean) => {
    const source = new VSCodeSource();
    const link = parent.onCancellationRequested(() => source.cancel());
    const registration = callback ? source.token.onCancellationRequested(noop) : undefined;
    keep(source.token);
    registration?.dispose();
    link.dispose();
    source.dispose();
  };
  return {
    register: (count) => {
      for (let i = 0; i < count; i++) parent.onCancellationRequested(noop).dispose();
    },
    child: (count) => {
      for (let i = 0; i < count; i++) child(false);
    },
    childWithCallback: (count) => {
      for (let i = 0; i < count; i++) child(true);
    },
  };
}

function esfx(): Peer {
  const parent = CancelToken.source().token;
  const child = (callback: boolean) => {
    const source = CancelToken.source([parent]);
    const registration = callback ? source.token.subscribe(noop) : undefined;
    keep(source.token);
    registration?.unsubscribe();
    source.close();
  };
  return {
    register: (count) => {
      for (let i = 0; i < count; i++) parent.subscribe(noop).unsubscribe();
    },
    child: (count) => {
      for (let i = 0; i < count; i++) child(false);
    },
    childWithCallback: (count) => {
      for (let i = 0; i < count; i++) child(true);
    },
  };
}

function cancellationtoken(): Peer {
  const parent = PeerToken.create().token;
  const child = (callback: boolean) => {
    const { token, cancel } = PeerToken.create();
    const unlink = parent.onCancelled(cancel);
    const unregister = callback ? token.onCancelled(noop) : undefined;
    keep(token);
    unregister?.();
    unlink();
  };
  return {
    register: (count) => {
      for (let i = 0; i < count; i++) parent.onCancelled(noop)();
    },
    child: (count) => {
      for (let i = 0; i < count; i++) child(false);
    },
    childWithCallback: (count) => {
      for (let i = 0; i < count; i++) child(true);
    },
  };
}

function rxjs(): Peer {
  const parent = new Subscription();
  const child = (callback: boolean) => {
    const own = new Subscription();
    parent.add(own);
    if (callback) own.add(noop);
    keep(own);
    if (callback) own.remove(noop);
    parent.remove(own);
  };
  return {
    register: (count) => {
      for (let i = 0; i < count; i++) {
        parent.add(noop);
        parent.remove(noop);
      }
    },
    child: (count) => {
      for (let i = 0; i < count; i++) child(false);
    },
    childWithCallback: (count) => {
      for (let i = 0; i < count; i++) child(true);
    },
  };
}

function anySignals(): Peer {
  const parent = new AbortController().signal;
  const child = (callback: boolean) => {
    const own = new AbortController();
    const signal = anySignal([parent, own.signal]);
    if (callback) signal.addEventListener('abort', noop);
    keep(signal);
    if (callback) signal.removeEventListener('abort', noop);
    signal.clear();
  };
  return {
    register: (count) => {
      for (let i = 0; i < count; i++) {
        parent.addEventListener('abort', noop);
        parent.removeEventListener('abort', noop);
      }
    },
    child: (count) => {
      for (let i = 0; i < count; i++) child(false);
    },
    childWithCallback: (count) => {
      for (let i = 0; i < count; i++) child(true);
    },
  };
}

/** By the name under which each is published; VS Code's own source is the one of its JSON-RPC package. */
export const libraries: Readonly<Record<string, () => Peer>> = {
  'vscode-jsonrpc': vscode,
  '@esfx/canceltoken': esfx,
  cancellationtoken,
  rxjs,
  'any-signal': anySignals,
};
