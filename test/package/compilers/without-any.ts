/**
 * What a compiler must refuse, whatever the program's `lib` declares: had a name of the platform become `any`, the line
 * below an expectation would compile, and the expectation be the error.
 *
 * @module
 */
import { cancellableIterable } from 'desist/async-iterator';
import { cancellableFetch } from 'desist/fetch';
import { guardTool } from 'desist/guard';
import { readStream } from 'desist/llm';
import { SessionRegistry } from 'desist/sessions';
import { anthropic } from 'desist/transcript/anthropic';
import { CancellationToken, CancellationTokenSource, InterruptController, delay, withCancellation } from 'desist';

// @ts-expect-error a number is no address
void cancellableFetch(42);
// @ts-expect-error a number is no method
void cancellableFetch('/', { method: 42 });
void cancellableFetch('/', { token: CancellationToken.none, method: 'POST' }).then((response) => {
  const status: number = response.status;
  // @ts-expect-error a status is a number
  const text: string = response.status;
  // @ts-expect-error a response has no such member
  return [status, text, response.noSuchMember];
});

// @ts-expect-error a number is no token
void delay(42, 1);
const source = new CancellationTokenSource();
const aborted: boolean = source.signal.aborted;
// @ts-expect-error a signal has no such member
void [aborted, source.signal.noSuchMember];
void delay(source.signal, 1);
void withCancellation(source.token, ({ signal }) => {
  // @ts-expect-error a signal has no such member
  return signal.noSuchMember as unknown;
});
source[Symbol.dispose]();
// @ts-expect-error a disposer takes nothing
source[Symbol.dispose](42);

const agent = new InterruptController();
void agent.runTurn(async (turn) => {
  const reply = await turn.model(({ signal }) => Promise.resolve(signal.aborted));
  // @ts-expect-error the value is a boolean
  const value: string | undefined = reply.value;
  return value;
});
// @ts-expect-error a number is no tool
guardTool(42);
// @ts-expect-error an id is a string
new SessionRegistry().open(42);
// @ts-expect-error a dialect has no such member
void anthropic.noSuchMember;

async function read(): Promise<void> {
  for await (const item of cancellableIterable(source.token, [1, 2])) {
    const one: number = item;
    // @ts-expect-error the items are numbers
    const other: string = item;
    void [one, other];
  }
  // @ts-expect-error a stream is opened by a function
  void readStream(42);
}
void read;
