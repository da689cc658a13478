/**
 * A run of AG-UI whose client stops it: its last event says so, and before that each call that was shown has a result, so that the
 * client can send its messages again.
 */
import { delay, InterruptController } from 'desist';
import { serveRun, type AgUiEvent } from 'desist/ag-ui';
import { openaiChat } from 'desist/transcript/openai-chat';

const controller = new InterruptController({ name: 'thread-1' });
const emit = (event: AgUiEvent & { readonly content?: unknown; readonly outcome?: unknown }) => {
  console.log(...[event.type, event.toolCallId, event.content, event.outcome].filter(Boolean));
};

const report = await serveRun(
  controller,
  async (turn, { emit: say }) => {
    for (const [id, name] of [
      ['c1', 'deploy'],
      ['c2', 'announce'],
    ] as const) {
      say({ type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name });
      say({ type: 'TOOL_CALL_END', toolCallId: id });
    }
    setTimeout(() => controller.cancel('user'), 10);
    await turn.tools(
      [
        { id: 'c1', name: 'deploy' },
        { id: 'c2', name: 'announce' },
      ],
      (_call, { token }) => delay(token, 60_000),
      { mode: 'sequential' },
    );
  },
  { input: { threadId: 'thread-1', runId: 'run-1' }, emit, dialect: openaiChat },
);
console.log(report.status);
await controller.close();

// Output:
// RUN_STARTED
// TOOL_CALL_START c1
// TOOL_CALL_END c1
// TOOL_CALL_START c2
// TOOL_CALL_END c2
// TOOL_CALL_CHUNK c1
// TOOL_CALL_CHUNK c2
// TOOL_CALL_RESULT c1 This call was stopped part-way: the user cancelled. What it had already done may remain. Do not retry it; wait for instructions.
// TOOL_CALL_RESULT c2 This call was not started, so nothing happened: the user cancelled. Do not retry it; wait for instructions.
// RUN_FINISHED { type: 'cancelled' }
// cancelled
