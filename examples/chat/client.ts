/** The page's program: `useChat` with a stream that survives a reload, and a Stop that stops the work and not the connection. */
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { createElement as h, useState, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

const id = location.pathname.split('/').at(-1) ?? '';
const transport = new DefaultChatTransport<UIMessage>({
  prepareSendMessagesRequest: ({ messages }) => ({ api: `/api/chat/${id}`, body: { message: messages.at(-1) } }),
});

function Chat({ before }: { readonly before: UIMessage[] }): ReactElement {
  const { messages, sendMessage, status } = useChat({ id, messages: before, resume: true, transport });
  const [said, setSaid] = useState('');
  const [news, setNews] = useState('');
  const isBusy = status === 'submitted' || status === 'streaming';

  const send = (event: { preventDefault(): void }): void => {
    event.preventDefault();
    setNews('');
    void sendMessage({ text: said });
    setSaid('');
  };
  // Not the hook's own stop(): that one closes this page's connection, and the answer goes on.
  const stop = async (): Promise<void> => {
    const answer = await fetch(`/api/chat/${id}/stop`, { method: 'POST', body: '{"wait":"settled"}' });
    setNews(((await answer.json()) as { status?: string }).status ?? 'nobody can say');
  };

  return h(
    'div',
    null,
    h('h1', null, 'Chat'),
    h(
      'ol',
      { 'aria-label': 'Messages', 'aria-live': 'polite', 'aria-busy': isBusy },
      messages.map((message) =>
        h(
          'li',
          { key: message.id },
          `${message.role}: `,
          message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
        ),
      ),
    ),
    h(
      'form',
      { onSubmit: send },
      h('input', { 'aria-label': 'Message', value: said, onChange: (event) => setSaid(event.currentTarget.value) }),
      h('button', { type: 'submit', disabled: isBusy }, 'Send'),
      h('button', { type: 'button', disabled: !isBusy, onClick: () => void stop() }, 'Stop'),
    ),
    h('p', { role: 'status' }, `${status}${news === '' ? '' : `, ${news}`}`),
  );
}

const before = (await (await fetch(`/api/chat/${id}`)).json()) as UIMessage[];
createRoot(document.querySelector('#app') as Element).render(h(Chat, { before }));
