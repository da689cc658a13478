import { expect, it, vi } from 'vitest';
import {
  boundOf,
  isChatModel,
  requireRunnable,
  tokenOfRun,
  withBoundWays,
  withWays,
  type RunConfig,
} from '../../../src/adapters/langchain/runnable.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { tick } from '../../core/interrupt/kit.ts';

class Plain {
  readonly name = 'plain';
  invoke(input: number): Promise<number> {
    return Promise.resolve(input);
  }
  stream(input: number): AsyncIterable<unknown> {
    return this._streamIterator(input);
  }
  async *_streamIterator(input: number): AsyncGenerator<number> {
    yield await this.invoke(input);
  }
  batch(inputs: readonly number[], _options?: RunConfig, _settings?: object): Promise<unknown[]> {
    return Promise.all(inputs.map((input) => this.invoke(input)));
  }
  bound(): { readonly bound: Plain } {
    return { bound: this };
  }
}

function ways(invoke: (input: unknown, config?: RunConfig) => Promise<unknown>) {
  return () => ({
    invoke,
    async *_streamIterator(input: unknown) {
      yield await invoke(input);
    },
  });
}

it('is the runnable to everybody else, and so is what it makes of itself', async () => {
  const plain = new Plain();
  const copy = withWays(
    plain,
    ways((input) => Promise.resolve(`new ${String(input)}`)),
  );
  expect(copy).toBeInstanceOf(Plain);
  expect([copy.name, copy.bound().bound]).toEqual(['plain', copy]);
  expect(await copy.invoke(1)).toBe('new 1');
  const chunks: unknown[] = [];
  for await (const chunk of copy.stream(2)) chunks.push(chunk);
  expect(chunks).toEqual(['new 2']);
  expect(await plain.invoke(1)).toBe(1);
});

it('what its methods make of the same class runs in the new ways, and is no copy of a copy', async () => {
  class Settings extends Plain {
    withConfig(): Settings {
      return new Settings();
    }
    bindTools(): Settings {
      return this.withConfig();
    }
    itself(): this {
      return this;
    }
    other(): Plain {
      return new Plain();
    }
    _inner(): Settings {
      return new Settings();
    }
  }
  const originals: object[] = [];
  const copy = withWays(new Settings(), (original) => {
    originals.push(original);
    return ways((input) => Promise.resolve(`new ${String(input)}`))();
  });
  expect(await copy.withConfig().invoke(1)).toBe('new 1');
  expect(await copy.withConfig().withConfig().invoke(1)).toBe('new 1');
  expect(originals).toHaveLength(4);
  // One method that calls another joins once.
  copy.bindTools();
  expect(originals).toHaveLength(5);
  expect(copy.itself()).toBe(copy);
  expect(await copy.other().invoke(1)).toBe(1);
  // The SDK compares what begins with an underscore by identity.
  expect(copy._inner).toBe(Settings.prototype._inner);
  expect(copy.withConfig).toBe(copy.withConfig);
});

it('of a binding that is given out for its runnable, the runnable runs in the new ways', async () => {
  const bound = new Plain();
  const binding = { bound, invoke: (input: number): Promise<unknown> => binding.bound.invoke(input) };
  const copy = withBoundWays(
    binding,
    bound,
    ways((input) => Promise.resolve(`new ${String(input)}`)),
  );
  expect(await copy.bound.invoke(1)).toBe('new 1');
  expect(boundOf(binding)).toBe(bound);
  expect(boundOf(bound)).toBeUndefined();
});

it('a chat model is told by the method that its class must have', () => {
  expect([isChatModel({ _generate: () => undefined }), isChatModel(new Plain()), isChatModel(null)]).toEqual([
    true,
    false,
    false,
  ]);
});

it('runs a batch in order, no more at once than it may', async () => {
  let running = 0;
  let most = 0;
  const gates = [1, 2, 3, 4].map(() => deferred());
  const copy = withWays(
    new Plain(),
    ways(async (input) => {
      most = Math.max(most, ++running);
      await gates[Number(input)]?.promise;
      running--;
      return input;
    }),
  );
  const batch = copy.batch([0, 1, 2, 3], { maxConcurrency: 2 });
  for (const gate of gates) {
    gate.resolve();
    await tick();
  }
  expect([await batch, most]).toEqual([[0, 1, 2, 3], 2]);
  expect(await copy.batch([])).toEqual([]);
});

it('gives each item of a batch its own config, and failures as values on request', async () => {
  const invoke = vi.fn((input: unknown, config?: RunConfig) =>
    input === 1 ? Promise.reject(new Error('one')) : Promise.resolve(config?.maxConcurrency),
  );
  const copy = withWays(new Plain(), ways(invoke));
  const configs = [{ maxConcurrency: 7 }, {}, { maxConcurrency: 9 }] as never;
  const outputs = await copy.batch([0, 1, 2], configs, { returnExceptions: true });
  expect(outputs.map((output) => (output instanceof Error ? output.message : output))).toEqual([7, 'one', 9]);
  await expect(copy.batch([0, 1, 2], configs)).rejects.toThrow('one');
});

it('one run hears the turn and its own signal', () => {
  const turn = new CancellationTokenSource();
  const own = new AbortController();
  const token = tokenOfRun(turn.token, { signal: own.signal });
  own.abort();
  expect([token.isCancelled, turn.isCancelled]).toEqual([true, false]);
  expect(tokenOfRun(undefined, undefined)).toBe(CancellationToken.none);
});

it('refuses what cannot be invoked', () => {
  expect(() => {
    requireRunnable('runnable', {});
  }).toThrow('runnable must be a runnable of LangChain');
});

it.each([
  ['the config', { maxConcurrency: 1 }, undefined],
  ['the settings', undefined, { maxConcurrency: 1 }],
])('takes the limit of a batch from %s', async (_where, options, settings) => {
  let running = 0;
  let most = 0;
  const copy = withWays(
    new Plain(),
    ways(async () => {
      most = Math.max(most, ++running);
      await tick();
      running--;
    }),
  );
  await copy.batch([1, 2, 3], options, settings);
  expect(most).toBe(1);
});
