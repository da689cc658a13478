import { describe, expect, it } from 'vitest';

import { guardTools } from '../../src/guard/index.ts';
import { asRequest } from '../../src/guard/requests.ts';
import { errorOf, stage, tick } from '../core/interrupt/kit.ts';

interface Options {
  readonly abortSignal: AbortSignal;
}

/** As the client of the AI SDK gives up. */
const givesUp = (_input: object, { abortSignal }: Options): Promise<never> =>
  new Promise((_resolve, reject) => {
    abortSignal.addEventListener('abort', () => {
      reject(Object.assign(new Error('Request was aborted'), { cause: abortSignal.reason as unknown }));
    });
  });
const fails = (): Promise<never> => Promise.reject(new RangeError('no such account'));
const metadata = { clientName: 'c', toolName: 'pay' };

describe('a tool that is a request to a server', () => {
  it.each<[string, object, (input: object, options: Options) => unknown, string]>([
    ['of a client that gives it up', { metadata }, givesUp, 'unknown'],
    ['of a client that says that it failed', { metadata }, fails, 'failed'],
    ['of nobody’s client', {}, givesUp, 'stopped'],
    ['of nobody’s client, with data of its own', { metadata: 'c' }, givesUp, 'stopped'],
  ])('a tool that is a request to a server, %s', async (_name, fields, execute, status) => {
    const { agent } = stage();
    const { pay } = guardTools({ pay: { ...fields, execute } });
    const turn = agent.runTurn(({ signal }) => pay.execute({}, { abortSignal: signal }) as Promise<unknown>);
    await tick();
    agent.cancel('user');
    const report = await turn;
    expect(report.calls).toMatchObject([{ name: 'pay', status }]);
    expect(report.stop?.abandoned ?? []).toEqual([]);
  });

  it('a tool that is a request to a server is as it is where nothing can stop it', async () => {
    expect(await errorOf(asRequest({ metadata }, 'pay', fails)([], () => undefined) as Promise<never>)).toBeInstanceOf(
      RangeError,
    );
  });
});
