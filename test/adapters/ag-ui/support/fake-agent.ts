/** The least that is an agent of AG-UI: it says what a test makes it say, and ends when it is told, if it is told to. */
import type { AgUiMessage } from '../../../../src/adapters/ag-ui/index.ts';

interface Subscriber {
  readonly onEvent?: (given: { readonly event: object }) => void;
  readonly onRunFailed?: (given: { readonly error: unknown }) => void;
}

export class FakeAgent {
  readonly agentId: string = 'writer';
  messages: AgUiMessage[] = [{ id: 'u1', role: 'user', content: 'go' }];
  isRunning = false;
  aborts = 0;
  detached = 0;
  isDeaf = false;
  readonly subscribers = new Set<Subscriber>();
  #end: (error?: Error) => void = () => undefined;

  runAgent(parameters?: { readonly runId?: string }): Promise<{ readonly asked: unknown }> {
    this.isRunning = true;
    return new Promise<void>((resolve, reject) => {
      this.#end = (error) => {
        if (error === undefined) resolve();
        else reject(error);
      };
    }).then(() => {
      this.isRunning = false;
      return { asked: parameters?.runId };
    });
  }

  say(event: object): void {
    for (const { onEvent } of this.subscribers) onEvent?.({ event });
  }

  end(error?: Error): void {
    if (error !== undefined) for (const { onRunFailed } of this.subscribers) onRunFailed?.({ error });
    this.#end(error);
  }

  abortRun(): void {
    this.aborts += 1;
    if (!this.isDeaf) this.#end();
  }

  detachActiveRun(): Promise<void> {
    this.detached += 1;
    this.#end();
    return Promise.reject(new Error('nobody hears this'));
  }

  setMessages(messages: AgUiMessage[]): void {
    this.messages = messages;
  }

  subscribe(subscriber: Subscriber): { unsubscribe(): void } {
    this.subscribers.add(subscriber);
    return { unsubscribe: () => this.subscribers.delete(subscriber) };
  }
}
