/**
 * Genkit under a turn. Its loop never looks at its `abortSignal`, and asks the model again: a middleware for the model and guarded tools stop it.
 */
import { genkit, z, type GenerateRequest, type GenerateResponseData } from 'genkit';
import { InterruptController, type Turn } from 'desist';
import { guardTools } from 'desist/guard';

type Next = (request: GenerateRequest) => Promise<GenerateResponseData>;

/** Each model call is one of the turn: none begins after a stop. */
const underTurn = (turn: Turn) => async (request: GenerateRequest, next: Next) => {
  for (;;) {
    const reply = await turn.model(({ readInterjections }) => {
      const said = readInterjections().map(({ message }) => ({
        role: 'user' as const,
        content: [{ text: String(message) }],
      }));
      return next({ ...request, messages: [...request.messages, ...said] });
    });
    if (reply.status === 'completed') return reply.value;
  }
};

const ai = genkit({});
let asked = 0;
// Stands for the model of a plug-in.
const model = ai.defineModel({ name: 'scripted' }, async () => {
  asked += 1;
  const content = asked % 2 === 1 ? [{ toolRequest: { name: 'pay', ref: 'c1', input: {} } }] : [{ text: 'Paid.' }];
  return { message: { role: 'model' as const, content }, finishReason: 'stop' as const };
});
const settings = { name: 'pay', description: 'pays', inputSchema: z.object({}) };

// Alone: a stop inside the tool, and the model is asked again.
const stop = new AbortController();
const alone = ai.dynamicTool(settings, async () => {
  stop.abort();
  return 'receipt 4711';
});
const { text } = await ai.generate({ model, prompt: 'Pay.', tools: [alone], abortSignal: stop.signal });
console.log(text);

asked = 0;
const agent = new InterruptController({ name: 'genkit', graceMs: 20 });
const report = await agent.runTurn(async (turn) => {
  const work = guardTools(
    {
      pay: async (_input: object, _options: { abortSignal: AbortSignal }) => {
        agent.cancel('user'); // a person presses Stop
        return 'receipt 4711';
      },
    },
    { turn },
  );
  const tools = [ai.dynamicTool(settings, work.pay)];
  return (await ai.generate({ model, prompt: 'Pay.', tools, use: [underTurn(turn)] })).text;
});
console.log(report.status);
console.log(report.calls.map(({ name, status }) => [name, status]));
console.log(asked);

// Output:
// Paid.
// cancelled
// [ [ 'pay', 'completed' ] ]
// 1
