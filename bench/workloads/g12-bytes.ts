/** G12: what a token weighs. */
import { CancellationTokenSource } from 'desist';
import { bytesEach } from '../harness.ts';
import type { Workload } from '../workload.ts';

const noop = () => {};

export const workload: Workload = {
  id: 'G12',
  title: 'Bytes on the heap',
  async measure() {
    const { token } = new CancellationTokenSource();
    return [
      {
        what: 'idle source + token',
        value: await bytesEach(() => new CancellationTokenSource()),
        unit: 'bytes',
        atMost: 96,
      },
      { what: 'idle child source + token', value: await bytesEach(() => token.child()), unit: 'bytes', atMost: 96 },
      {
        what: 'source + token with its first callback',
        value: await bytesEach(() => {
          const source = new CancellationTokenSource();
          source.token.onCancelled(noop);
          return source;
        }),
        unit: 'bytes',
        atMost: 320,
      },
    ];
  },
};
