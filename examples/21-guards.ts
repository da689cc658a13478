/**
 * A framework owns the loop and knows nothing of stops: it only hands a signal to its tools. Guarded, they obey one, and
 * every call is in the ledger; one that outlives its own time limit stops nobody else.
 */
import { InterruptController, delay } from 'desist';
import { guardTools } from 'desist/guard';

/** What frameworks have in common: named tools, a signal, a call after the other. */
interface Tool {
  readonly execute: (input: string, options: { readonly abortSignal: AbortSignal }) => Promise<string>;
}
async function framework(
  tools: Readonly<Record<string, Tool>>,
  plan: readonly (readonly [tool: string, input: string, timeoutMs?: number])[],
  abortSignal: AbortSignal,
): Promise<void> {
  for (const [name, input, timeoutMs] of plan) {
    // A limit of its own for one call, derived natively.
    const signal =
      timeoutMs === undefined ? abortSignal : AbortSignal.any([abortSignal, AbortSignal.timeout(timeoutMs)]);
    await tools[name]?.execute(input, { abortSignal: signal }).then(
      (result) => console.log(`${name}: ${result}`),
      (error: unknown) => console.log(`${name}: ${(error as Error).name}`),
    );
  }
}

const agent = new InterruptController({ name: 'main' });

// Module constants: the turn is found by the signal that a call is given.
const tools = guardTools(
  {
    read: { execute: async (path: string) => `text of ${path}` },
    search: { execute: (_query: string, { abortSignal }) => delay(abortSignal, 60_000).then(() => 'hits') },
    index: {
      execute: () => {
        setTimeout(() => agent.cancel(), 5); // the person presses ESC
        return new Promise<string>(() => {}); // and nobody hears it
      },
    },
  } satisfies Record<string, Tool>,
  { graceMs: 20 },
);

const report = await agent.runTurn(async (turn) => {
  // The signal of a limit of the framework's is nobody's: for the ledger the turn is said.
  const own = guardTools(tools, { turn, graceMs: 20 });
  const plan = [
    ['read', 'README.md'],
    ['search', 'stop', 30],
    ['index', 'src'],
    ['read', 'LICENSE'],
  ] as const;
  await framework(own, plan, turn.signal);
});

console.log(report.status);
for (const { name, status } of report.calls) console.log(`  ${name}: ${status}`);
console.log(`  still running: ${report.stop?.abandoned.join(', ')}`);

// Output:
// read: text of README.md
// search: AbortError
// index: AbortError
// read: AbortError
// cancelled
//   read: completed
//   search: stopped
//   index: unknown
//   read: not-started
//   still running: index
