/**
 * A chat in a terminal that has no tools, and shows nothing of what is typed: lines that come while the model speaks wait. With `GAP=lost` they
 * are thrown away; with `WHOLE` the reply comes in one piece.
 */
import process from 'node:process';

const { OPENAI_BASE_URL: url = '', GAP, WHOLE } = process.env;
const messages: object[] = [];
const lines: string[] = [];
let isBusy = false;
let typed = '';

async function answer(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  for (let content = lines.shift(); content !== undefined; content = lines.shift()) {
    messages.push({ role: 'user', content });
    const body = JSON.stringify({ model: 'm', stream: WHOLE === undefined, messages });
    const response = await fetch(`${url}/chat/completions`, { method: 'POST', body });
    await response.text();
    messages.push({ role: 'assistant', content: 'I have answered.' });
    if (GAP === 'lost') lines.length = 0;
  }
  isBusy = false;
  process.stdout.write('answered\r\n> ');
}

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8').on('data', (keys: string) => {
  for (const key of keys) {
    if (key !== '\r') typed += key;
    else {
      lines.push(typed);
      typed = '';
      void answer();
    }
  }
});
process.stdout.write('> ');
