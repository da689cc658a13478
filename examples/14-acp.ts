/**
 * Stop a prompt of the Agent Client Protocol. The agent's last update comes before its answer, the answer is `cancelled`,
 * and the permission that was being asked for is settled on both sides.
 */
import { agent, client } from '@agentclientprotocol/sdk';
import { CancellationTokenSource } from 'desist';
import { acpClient, acpSessions } from 'desist/acp';

// The agent: one session, whose turn asks for a permission.
const sessions = acpSessions();
const agentApp = agent()
  .onRequest('session/prompt', (context) =>
    sessions.prompt(context, async ({ requestPermission, update }) => {
      const { outcome } = await requestPermission({
        toolCall: { toolCallId: 'c1', title: 'rm -r build' },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      });
      const text = `permission ${outcome}`;
      await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
      return { stopReason: 'end_turn' };
    }),
  )
  .onNotification('session/cancel', (context) => void sessions.cancel(context));

// The editor: a person who presses Stop instead of answering.
const stop = new CancellationTokenSource({ name: 'editor' });
const acp = acpClient();
const editorApp = client()
  .onNotification('session/update', ({ params: { sessionId, update } }) => {
    acp.observe({ sessionId, update });
    if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text') {
      console.log('agent:', update.content.text);
    }
  })
  .onRequest('session/request_permission', (context) =>
    acp.permission(context, async (token) => {
      console.log('question:', context.params.toolCall.title);
      setImmediate(() => stop.cancel('user'));
      const { kind } = await token.whenCancelled();
      console.log('question taken back, for', kind);
      return await new Promise<never>(() => undefined);
    }),
  );

const connection = editorApp.connect(agentApp);
const { stopReason, stoppedBy } = await acp.prompt(stop.token, {
  agent: connection.agent,
  params: { sessionId: 's1', prompt: [{ type: 'text', text: 'Clean up' }] },
});
console.log('answer:', stopReason, 'for', stoppedBy?.kind);
connection.close();

// Output:
// question: rm -r build
// question taken back, for user
// agent: permission cancelled
// answer: cancelled for user
