import { andThen, askModel, finds, runs, starts } from '../../../support/agents/spoilt.ts';

/** Computes that long, however busy the machine is. */
function block(ms: number): void {
  const before = process.cpuUsage();
  const used = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  while (used() < ms);
}

const limitless = starts(() => ({ limitMs: undefined }));

finds([
  [
    'S37',
    'that says too early that it is over',
    runs(() => ({ done: Promise.resolve() })),
    'started after the stop: first, tidy',
  ],
  [
    'S37',
    'that is over with the first failure',
    (good) => ({
      start(start) {
        let fail: () => void = () => undefined;
        const failed = new Promise<void>((resolve) => (fail = resolve));
        const first = start.tools['first'];
        const failing: typeof first = (...given) => {
          setTimeout(fail, 20);
          return first?.(...given) ?? Promise.resolve('');
        };
        const run = good.start({ ...start, tools: { ...start.tools, first: failing } });
        return { ...run, done: Promise.race([run.done, failed]) };
      },
    }),
    'tools that run on: ["tidy"], and not []',
  ],
  [
    'S38',
    'that names every level',
    runs((run) => ({ stillRunning: () => ['start_helper', ...(run.stillRunning?.() ?? [])] })),
    'still running: ["start_helper","slow"], and not ["slow"]',
  ],
  [
    'S38',
    'that calls the level above unknown',
    runs(() => ({ calls: () => [{ name: 'start_helper', status: 'unknown' }] })),
    'the call above: "unknown", and not "stopped"',
  ],
  [
    'S40',
    'that does not wait for everything',
    ({ cancelAll }) => ({ cancelAll: () => void cancelAll?.() }),
    'running after everything was stopped: ["tidy"], and not []',
  ],
  [
    'S40',
    'that sends nothing to the background',
    runs(() => ({ sendToBackground: () => undefined })),
    'waited 4000 ms until the model is asked while the call goes on',
  ],
  [
    'S40',
    'that stops what is in the background',
    runs((run) => ({ cancel: () => [run.cancel?.(), run.cancelCall?.('tidy')] })),
    'running after the stop: [], and not ["tidy"]',
  ],
  ['S41', 'that blocks the event loop', andThen(() => { block(150); }), 'the event loop was blocked for more than 50 ms'], // prettier-ignore
  ['S41', 'that asks the model after all', andThen(askModel), '1 model requests after the stop'],
  [
    'S42',
    'that cuts what a tool gives',
    starts(({ tools }) => ({
      tools: { ...tools, second: async () => ((await tools['second']?.()) ?? '').slice(0, 1_000) },
    })),
    "'begin 4711",
  ],
  [
    'S42',
    'that hides an error',
    starts(({ tools }) => ({
      tools: { ...tools, first: (signal) => (tools['first']?.(signal) ?? Promise.resolve('')).catch(() => 'failed') },
    })),
    "'EMFILE: too many open files' is in request 2 0 times, and not 1; its last texts are 'go', 'failed', 'begin 4711 ",
  ],
  ['S47', 'that starts without time', limitless, 'model requests and tools: '],
  ['S47', 'that overlooks its limit', limitless, 'the model was asked after the limit'],
]);
