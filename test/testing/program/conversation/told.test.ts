import { expect, it } from 'vitest';

import { historyOf, type HistoryItem } from '../../../../src/testing/model-server/reading/history.ts';
import { toldOf, type StoppedTurn } from '../../../../src/testing/program/conversation/told.ts';

/** Calls as they were handed out, of which the last ones were stopped. */
function turnWith(
  ids: readonly string[],
  stopped: readonly string[] = [],
  earlier: readonly (readonly HistoryItem[])[] = [],
): StoppedTurn {
  const calls = ids.map((id) => ({ id, name: 'bash', input: { command: `run ${id}` } }));
  const open = calls.filter(({ id }) => stopped.includes(id));
  return { prompt: 'mark begin', earlier, said: ['mark begin', 'go on'], calls, stopped: open };
}

function told(result: string, isError = false, next = 'go on') {
  const messages = [
    { role: 'user', content: 'an interruption of before' },
    { role: 'user', content: 'mark begin' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'bash', input: { command: 'kill' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: result, is_error: isError }] },
    { role: 'user', content: next },
  ];
  return toldOf(historyOf({ dialect: 'anthropic', body: { messages } }), turnWith(['a'], ['a']));
}

it('without a call that was seen to finish no result is judged, and words of no stop are shown', () => {
  expect(told('done')).toMatchObject({ isKept: true, isFalse: undefined, unclear: 'done', isTold: false });
  expect(told('')).toMatchObject({ isKept: true, isFalse: undefined, unclear: undefined, isTold: false });
});

it.each([
  '{"stdout":"","stderr":"","interrupted":false,"isImage":false}',
  '{"output":"","error":null,"timed_out":false,"exit_code":0}',
  "{'killed': False, 'signal': None}",
  'Output: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)',
  'done, no errors',
  'exit code 0',
  'killed=0 exit_code=0',
  '<interrupted>false</interrupted><exit_code>0</exit_code>',
  '| interrupted | false |\n| exit code | 0 |',
  '{"interrupted":{}, "cancelled": "N/A"}',
  '{\\"interrupted\\":false}',
  'Completed without being interrupted, exit code 0',
  'never interrupted',
  'exit code 0; interrupted: off; killed: 0; duration 2.1s',
  'Finished successfully (exit code 0). Output saved to /tmp/uninterrupted.log',
])('a result that says %j tells of no stop', (text) => {
  expect(told(text)).toMatchObject({ unclear: text, isTold: false });
});

it.each([
  ['{"interrupted":true,"error":null}', false],
  ['Error: (none)\nSignal: SIGKILL', false],
  ['error: no space left on device', false],
  ['interrupted by the user', false],
  ['exit code 137', false],
  ['Exited with code 130', false],
  ['exit status 137', false],
  ['{"exit_code": 130}', false],
  ['The user pressed ESC. Ended by the user before it was done.', false],
  ['Command was halted', false],
  ['^C', false],
  ['', true],
])('a result that says %j tells of a stop', (text, isError) => {
  expect(told(text, isError)).toMatchObject({ unclear: undefined, isTold: true });
});

const call = (id: string, command: string) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'bash', input: { command } }],
});
const answer = (id: string, content: string, more: object = {}) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content, ...more }],
});
/** The same behind two calls that have ended, with these results. */
function toldBehind(
  ended: string | readonly [string, string],
  result: string,
  {
    next = 'go on',
    system = [undefined, undefined],
    marks = [{}, {}],
  }: {
    readonly next?: string;
    readonly system?: readonly [string | undefined, string | undefined];
    readonly marks?: readonly [object, object];
  } = {},
) {
  const [quick, slow] = typeof ended === 'string' ? [ended, ended] : ended;
  const before = [
    { role: 'user', content: 'mark begin' },
    ...[call('a', 'touch "/tmp/ended"'), answer('a', quick, marks[0])],
    ...[call('z', 'sleep 1.2; touch "/tmp/ended-later"'), answer('z', slow, marks[0])],
  ];
  const after = [
    ...before,
    call('b', 'sh "/tmp/hostile.sh"'),
    answer('b', result, marks[1]),
    { role: 'user', content: next },
  ];
  const [earlier = [], history = []] = [before, after].map((messages, at) =>
    historyOf({ dialect: 'anthropic', body: { messages, system: system[at] } }),
  );
  return toldOf(history, turnWith(['a', 'z', 'b'], ['b'], [earlier]));
}

/** What differs between two finished calls differs in a third one, too; what does not, does not. */
const alike: readonly (readonly [name: string, ended: readonly [string, string], stopped: string])[] = [
  ['words', ['(no output)', '(no output)'], '(no output)'],
  ['nothing', ['', ''], ' '],
  ['a table', ['| code | interrupted |\n|---|---|\n| 0 | no |', '| code | interrupted |\n|---|---|\n| 0 | no |'], '| code | interrupted |\n|---|---|\n| 0 | no |'], // prettier-ignore
  ['a clock', ['exit 0 in 12 ms, at 09:00:12', 'exit 0 in 1203 ms, at 09:00:13'], 'exit 0 in 8031 ms, at 10:31:40'],
  ['seconds', ['took 0 s, exit code 0', 'took 1 s, exit code 0'], 'took 8 s, exit code 0'],
  ['another unit', ['Completed in 65ms', 'Completed in 1.2s'], 'Completed in 2.1s'],
  ['a duration in JSON', ['{"exit_code":0,"duration_seconds":0}', '{"exit_code":0,"duration_seconds":1.2}'], '{"exit_code":0,"duration_seconds":0.3}'], // prettier-ignore
  ['digits of another script', ['انتهى في ٠ ث', 'انتهى في ١ ث'], 'انتهى في ٨ ث'],
  ['an id', ['[job bash_MAnWsxVTI] ok', '[job bash_q07pLmA] ok'], '[job bash_zzQqB] ok'],
  ['a counter', ['1st command done', '2nd command done'], '3rd command done'],
  [
    'its command',
    ['$ touch "/tmp/ended"\nok', '$ sleep 1.2; touch "/tmp/ended-later"\nok'],
    '$ sh "/tmp/hostile.sh"\nok',
  ],
  ['its command, cut short', ['$ touch "/tmp/en…\nok', '$ sleep 1.2; touc…\nok'], '$ sh "/tmp/hosti…\nok'],
  ['its command in JSON', ['{"command":"touch \\"/tmp/ended\\"","rc":0}', '{"command":"sleep 1.2; touch \\"/tmp/ended-later\\"","rc":0}'], '{"command":"sh \\"/tmp/hostile.sh\\"","rc":0}'], // prettier-ignore
  ['another language', ['Befehl beendet: Rückgabewert 0, Abbruch: error-frei', 'Befehl beendet: Rückgabewert 0, Abbruch: error-frei'], 'Befehl beendet: Rückgabewert 0, Abbruch: error-frei'], // prettier-ignore
  ['one line more', ['ok', 'slow\nok'], 'ok'],
];

it.each(alike)(
  'a result that says nothing but what finished calls say is told as finished: %s',
  (_name, ended, stopped) => {
    expect(toldBehind(ended, stopped)).toMatchObject({ isFalse: true, unclear: undefined, isTold: false });
    const corrected = toldBehind(ended, stopped, { next: 'The user interrupted that.\ngo on' });
    expect(corrected).toMatchObject({ isFalse: false, unclear: undefined, isTold: true });
    const noted = toldBehind(ended, stopped, { next: 'ユーザーがコマンドを中断しました。\ngo on' });
    expect(noted).toMatchObject({ isFalse: false, unclear: 'ユーザーがコマンドを中断しました。', isTold: false });
  },
);

it.each([
  ['| exit code | interrupted |\n|---|---|\n| 0 | no |', '| exit code | interrupted |\n|---|---|\n| 0 | yes |'],
  ['exit_code,interrupted\n0,no', 'exit_code,interrupted\n130,yes'],
  ['exit code 0', 'exit code 130'],
  ['exit-code-0', 'exit-code-130'],
  ['Exit status 0x00000000', 'Exit status 0xC000013A'],
  ['ok', 'interrupted by the user'],
  ['rc=0 in 12 ms', 'rc=130 in 8000 ms, killed'],
])('behind calls that ended with %j, a result that says %j tells of a stop', (ended, result) => {
  expect(toldBehind(ended, result)).toMatchObject({ isFalse: false, unclear: undefined, isTold: true });
});

it.each([
  ['(no output)', 'Der Befehl wurde abgebrochen.'],
  ['(no output)', 'コマンドは中断されました'],
  ['(no output)', 'Command completed.'],
  ['(no output)\nrc 0\n12 ms', '(no output)\nrc 130\n8031 ms'],
  ['{"status":0,"out":""}', '{"status":137,"out":""}'],
  ['status 200', 'status 499'],
  ['progress 100%', 'progress 37%'],
  ['steps done: 1/1', 'steps done: 1/2'],
  ['started\nexit code 0', 'started'],
  ['done_e9696f1891', 'stop_badc879d26'],
  ['state=S1', 'state=S9'],
  ['{"output":"","signal":0}', '{"output":"","signal":9}'],
  ['[0] ', '[137] '],
  ['<done>true</done>', '<done>false</done>'],
  ['{"done":true}', '{"done": false}'],
])('behind %j other words are shown, and not scored: %j', (ended, words) => {
  expect(toldBehind(ended, words)).toMatchObject({ isFalse: false, unclear: words.trim(), isTold: false });
  const corrected = toldBehind(ended, words, { next: 'The user interrupted that.\ngo on' });
  expect(corrected).toMatchObject({ unclear: undefined, isTold: true });
});

it('a result of nothing where finished calls have words is neither told as finished, nor shown', () => {
  expect(toldBehind('(no output)', '')).toMatchObject({ isFalse: false, unclear: undefined, isTold: false });
});

it('what is said anew behind a result, and is known as nothing of a stop, is shown; an exit code tells', () => {
  const note = 'git status: 3 files changed';
  expect(toldBehind('ok', 'ok', { next: `${note}\ngo on` })).toMatchObject({ isFalse: false, unclear: note });
  const told = toldBehind('ok', 'ok', { next: 'It ended with exit code 130.\ngo on' });
  expect(told).toMatchObject({ isFalse: false, unclear: undefined, isTold: true });
});

it('the instructions tell of a stop where they say something new, and an error mark where finished calls have none', () => {
  const stopped = 'The last command was interrupted by the user.';
  expect(toldBehind('ok', 'ok', { system: ['Be brief.', `Be brief.\n${stopped}`] })).toMatchObject({ isFalse: false, isTold: true }); // prettier-ignore
  expect(toldBehind('ok', 'ok', { system: [stopped, stopped] })).toMatchObject({ isFalse: true, isTold: false });
  expect(toldBehind('ok', 'ok', { system: ['At 9.', 'At 10.'] })).toMatchObject({ isFalse: true, isTold: false });
  const mark = { is_error: true };
  expect(toldBehind('ok', 'ok', { marks: [{}, mark] })).toMatchObject({ isFalse: false, isTold: true });
  expect(toldBehind('ok', 'ok', { marks: [mark, mark] })).toMatchObject({ isFalse: true, isTold: false });
});

it('where the stopped calls are not in the history nothing is judged, and where the prompt is said again they are', () => {
  expect(toldBehind('ok', 'ok', { next: 'Remember: mark begin\ngo on' })).toMatchObject({ isFalse: false });
  const prompt = { role: 'user', content: 'mark begin' };
  const earlier = historyOf({ dialect: 'anthropic', body: { messages: [prompt, call('a', 'x'), answer('a', 'ok')] } });
  const cut = historyOf({ dialect: 'anthropic', body: { messages: [prompt, { role: 'user', content: 'go on' }] } });
  expect(toldOf(cut, turnWith(['a', 'b'], ['b'], [earlier]))).toMatchObject({ isKept: true, isFalse: undefined });
});

it('a call that ended before the stop is none of the stopped ones', () => {
  expect(toldBehind('ok', 'interrupted')).toMatchObject({ isFalse: false, unclear: undefined });
  expect(toldBehind('interrupted: yes', 'ok')).toMatchObject({ isFalse: false, unclear: 'ok' });
});

it('a note behind the result corrects it, and a turn that is not there tells nothing', () => {
  expect(told('done', false, 'The user interrupted that. go on')).toMatchObject({ unclear: undefined, isTold: true });
  expect(toldOf([], turnWith([]))).toEqual({
    isKept: false,
    isFalse: undefined,
    unclear: undefined,
    isTold: false,
    words: [],
  });
  expect(told('x'.repeat(500)).words[2]).toMatch(/^tool result: x{80} … x{70}$/);
});

it.each(['Hint: the user can interrupt a command with ESC.', 'Press ESC to interrupt.', 'You may always stop me.'])(
  'what could be done, as in %j, corrects nothing',
  (hint) => {
    expect(toldBehind('done', 'done', { next: `${hint}\ngo on` })).toMatchObject({ unclear: hint, isTold: false });
  },
);

it('a stop is told in the words of the stop before it, where a program has taken its session up; what stands around each prompt tells nothing', () => {
  const say = (role: HistoryItem['role'], text: string): HistoryItem => ({
    role,
    kind: 'text',
    text,
    name: undefined,
    callId: undefined,
    isError: false,
  });
  const around = 'Press ESC to interrupt.';
  const cut = say('assistant', '[This reply was cut off: the user cancelled.]');
  const before = [
    say('user', 'q1 begin'),
    say('assistant', 'w1'),
    cut,
    say('user', 'q1 go on'),
    say('assistant', 'Yes.'),
  ];
  const earlier = [...before, say('user', around), say('user', 'q2 begin')];
  const silent = [...earlier, say('assistant', 'w1 w2'), say('user', around), say('user', 'q2 go on')];
  const honest = [...earlier, say('assistant', 'w1 w2'), cut, say('user', around), say('user', 'q2 go on')];
  const stop = { ...turnWith([], [], [earlier]), prompt: 'q2 begin', said: ['q2 begin', 'q2 go on'] };
  expect(toldOf(silent, stop).isTold).toBe(false);
  expect(toldOf(honest, stop).isTold).toBe(true);
});

/** Behind a call that was done two at once, the first of which was stopped, and what is said of both. */
function batch(first: string, second: string, stopped: number, behind = '') {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'bash', input: {} });
  const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });
  const before = [
    { role: 'user', content: 'mark begin' },
    { role: 'assistant', content: [call('0')] },
    { role: 'user', content: [result('0', 'done')] },
  ];
  const messages = [
    ...before,
    { role: 'assistant', content: [call('a'), call('b')] },
    // In the order in which they came to their end.
    { role: 'user', content: [result('b', second), result('a', first), { type: 'text', text: `${behind} go on` }] },
  ];
  const [earlier = [], history = []] = [before, messages].map((given) =>
    historyOf({ dialect: 'anthropic', body: { messages: given } }),
  );
  return toldOf(history, turnWith(['0', 'a', 'b'], ['a', 'b'].slice(0, stopped), [earlier])).isFalse;
}

it.each([
  ['done', 'not run: interrupted by the user', 2, true],
  ['done', 'not run: interrupted by the user', 1, true],
  ['interrupted', 'done', 2, true],
  ['interrupted', 'done', 1, false],
  ['interrupted', 'skipped', 2, false],
])('a call that says %j beside one that says %j, %d of them stopped: a lie is %s', (first, second, stopped, isLie) => {
  expect(batch(first, second, stopped)).toBe(isLie);
  expect(batch(first, second, stopped, 'The user interrupted you.')).toBe(false);
});

it('a clock, a counter or an id around each prompt tells nothing, though it is another one each time', () => {
  const prompt = (numbers: string, words: string) => ({
    role: 'user',
    content: `[${numbers}] ESC interrupts\nmark ${words}`,
  });
  const told = (numbers: string) => {
    const messages = [
      prompt('12:00:01 #1 3f9a', 'begin'),
      { role: 'assistant', content: 'w' },
      prompt(numbers, 'go on'),
    ];
    const [earlier, history] = [messages.slice(0, 1), messages].map((given) =>
      historyOf({ dialect: 'anthropic', body: { messages: given } }),
    );
    return toldOf(history ?? [], { ...turnWith([], [], [earlier ?? []]), said: ['mark begin', 'mark go on'] }).isTold;
  };
  expect(told('12:00:09 #2 77b0')).toBe(false);
  expect(told('last reply: interrupted')).toBe(true);
});

it.each([
  'There is nothing to abort.',
  'The last command has not been interrupted.',
  'Nobody cancelled anything.',
  'It ended without any kind of error.',
  "Status: it wasn't cancelled",
  'No background task was still to be stopped',
])('a stop that is denied in the words %j is none, and shown', (note) => {
  expect(toldBehind('ok', 'ok', { next: `${note}\ngo on` })).toMatchObject({
    isFalse: false,
    unclear: note,
    isTold: false,
  });
});

it.each([
  'not run: interrupted by the user',
  'No output, cancelled by the user',
  '(no output) killed',
  'no output - aborted',
  'The command did not complete because the user interrupted it.',
  "It hasn't been executed.",
  'The call was not finished',
  'There is no result since it was cancelled',
  "The user doesn't want that: the tool use was rejected",
])('a “not” of something else, as in %j, denies no stop', (note) => {
  expect(toldBehind('ok', note)).toMatchObject({ isFalse: false, unclear: undefined, isTold: true });
});

const textOf = (role: HistoryItem['role'], text: string): HistoryItem => ({ role, kind: 'text', text, name: undefined, callId: undefined, isError: false }); // prettier-ignore
const itemOf = (kind: 'call' | 'result', run: string, text: string, callId?: string): HistoryItem => ({
  role: kind === 'call' ? 'assistant' : 'tool',
  kind,
  text: kind === 'call' ? JSON.stringify({ command: `run ${run}` }) : text,
  name: 'bash',
  callId,
  isError: false,
});

it.each([
  ['have ids of the program’s own', (n: number) => `own_${String(n)}`],
  ['share one id', () => 'call'],
  ['have none', () => undefined],
])(
  'a stopped call is judged by its own result where all calls %s, and what the model said is nobody’s note',
  (_, id) => {
    const step = (n: number, run: string, text: string) => [
      textOf('assistant', 'I run it.'),
      itemOf('call', run, '', id(n)),
      itemOf('result', run, text, id(n)),
    ];
    const begin = textOf('user', 'mark begin');
    const earlier = [begin, ...step(1, 'a', 'ok'), ...step(2, 'z', 'ok')];
    const judge = (text: string, window = 0) => {
      const history = [...earlier, ...step(3, 'b', text), textOf('user', 'go on')].slice(window);
      const turn = turnWith(['a', 'z', 'b'], ['b'], [earlier]);
      return toldOf(history, { ...turn, said: [...turn.said, 'I run it.'] });
    };
    for (const window of [0, 4, 7]) {
      expect(judge('ok', window)).toMatchObject({ isKept: true, isFalse: true, unclear: undefined });
      expect(judge('interrupted', window)).toMatchObject({ isKept: true, isFalse: false, isTold: true });
    }
  },
);
