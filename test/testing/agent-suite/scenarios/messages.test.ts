import { askModel, finds, runs, starts } from '../../../support/agents/spoilt.ts';

const lost = runs(() => ({ interject: () => undefined }));
const neverBack = runs(() => ({ undelivered: () => [] }));

finds([
  ['S21', 'that loses a message', lost, "'use pnpm (note 4711)' is in request 2 0 times"],
  [
    'S21',
    'that tells it twice',
    runs((run) => ({ interject: (text) => [run.interject?.(text), run.interject?.(text)] })),
    'is in request 2 2 times',
  ],
  [
    'S21',
    'that goes on with its batch',
    starts(() => ({ oneByOne: false })),
    'leaves out the rest of the batch – tools started: ["slow","other"], and not ["slow"]',
  ],
  [
    'S21',
    'that never cuts an answer',
    runs((run) => ({ interject: (text) => run.interject?.(text) })),
    'cuts the answer and keeps what was said – waited 4000 ms until the run ends',
  ],
  [
    'S21',
    'that stops its tools for a message',
    runs((run) => ({ interject: (text, options) => [run.interject?.(text, options), run.cancelCall?.('slow')] })),
    'leaves a tool that runs alone – the tool was stopped',
  ],
  ['S21', 'that swallows one during the last answer', lost, 'told and given back: 0, and not 1'],
  ['S21', 'that keeps it from its sub-agent', lost, 'is in request 3 0 times'],
  ['S22', 'that keeps what was not delivered', neverBack, 'undelivered: [], and not ["use pnpm (note 4711)"]'],
  [
    'S22',
    'that sends a message after the stop',
    runs((run, start) => ({ interject: (text) => [run.interject?.(text), askModel(start)] })),
    'a message after the stop changes nothing – 1 model requests after the stop',
  ],
  [
    'S22',
    'that takes a late answer',
    starts(({ ask, tools }) => ({
      ask: (tool, respond) => {
        ask(tool, (isAllowed) => [respond(isAllowed), tools[tool]?.()]);
      },
    })),
    'started after the stop: pay',
  ],
  ['S22', 'that does not ask', starts(() => ({ asks: [] })), 'until the person is asked'],
  ['S23', 'that waits to the end', starts(() => ({ passive: [] })), 'until the model is asked'],
  ['S39', 'that keeps what was not delivered', neverBack, 'undelivered: [], and not ["use pnpm (note 4711)"]'],
  [
    'S39',
    'that tells what was taken back',
    runs(() => ({ withdraw: () => undefined })),
    "what it cut is no answer – 'use pnpm (note 4711)' is in request 2 1 times",
  ],
  [
    'S39',
    'that tells at once what was for later',
    runs((run) => ({ interject: (text) => run.interject?.(text) })),
    'leads to no request in it – ',
  ],
  ['S39', 'that loses a message with its attempt', lost, 'is in the next attempt – '],
]);
