import { expect, it } from 'vitest';
import { Conversations } from '../../../../src/adapters/internal/framework/conversations.ts';
import type { Turn } from '../../../../src/index.ts';
import { stage } from '../../../core/interrupt/kit.ts';

it('a conversation is what was asked last, and what was answered', async () => {
  const { agent } = stage();
  await agent.runTurn((turn) => {
    const conversations = new Conversations<string>();
    expect(conversations.of(turn)).toEqual([]);
    const first = conversations.call(turn);
    first.answered('before it was asked');
    first.asked(['go'], ['go']);
    first.answered('call');
    const second = conversations.call(turn);
    second.asked(['go', 'call', 'result'], ['go', 'call', 'result']);
    expect(conversations.of(turn)).toEqual(['go', 'call', 'result']);
    second.answered('done', 'really');
    expect(conversations.of(turn)).toEqual(['go', 'call', 'result', 'done', 'really']);
  });
});

it('a conversation is a copy, and that of one turn only', async () => {
  const { agent } = stage();
  const conversations = new Conversations<string>();
  const asked = ['go'];
  await agent.runTurn((turn) => {
    conversations.call(turn).asked(asked, asked);
    asked.push('changed');
    conversations.of(turn).push('changed');
    expect(conversations.of(turn)).toEqual(['go']);
  });
  await agent.runTurn((turn) => {
    expect(conversations.of(turn)).toEqual([]);
  });
});

const user = (content: string) => ({ role: 'user', content });
const calling = (id: string) => ({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: id }] });
const result = (id: string) => ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: id }] });
const said = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });
const system = { role: 'system', content: 'Answer in French.' };

/** What a door of a framework sees: prompts in the framework's words, which are other objects each time. */
function door(...told: readonly object[]) {
  const conversations = new Conversations<object>((message) => (message as { role: string }).role === 'system');
  const { agent } = stage();
  const ask = (turn: Turn, ...prompt: readonly object[]) => {
    const own = prompt.map((message) => structuredClone(message));
    const call = conversations.call(turn);
    call.asked(own, [...own, ...told]);
    return call;
  };
  return { agent, conversations, ask };
}

it('a conversation begins with what was given, and is that where no model was asked', async () => {
  const { agent, conversations, ask } = door();
  const given = [system, user('old'), said('answer'), user('go')];
  await agent.runTurn((turn) => {
    expect(conversations.of(turn, given)).toEqual(given);
    const call = ask(turn, ...given);
    expect(conversations.of(turn, given)).toEqual(given);
    call.answered(calling('a'));
    ask(turn, ...given, calling('a'), result('a'));
    const so = conversations.of(turn, given);
    expect(so).toEqual([...given, calling('a'), result('a')]);
    expect(so.slice(0, 4).every((message, index) => message === given[index])).toBe(true);
  });
});

it('a conversation has what the user said while it went on', async () => {
  const { agent, conversations, ask } = door(user('use pnpm'));
  const given = [user('go')];
  await agent.runTurn((turn) => {
    ask(turn, ...given).answered(said('With pnpm.'));
    expect(conversations.of(turn, given)).toEqual([user('go'), user('use pnpm'), said('With pnpm.')]);
  });
});

it('a conversation is not that of a tool which is an agent itself', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('go')];
  await agent.runTurn((turn) => {
    ask(turn, ...given).answered(calling('research'));
    ask(turn, user('sub-prompt')).answered(calling('look'));
    ask(turn, user('sub-prompt'), calling('look'), result('look'));
    expect(conversations.of(turn, given)).toEqual([user('go'), calling('research')]);
    expect(conversations.of(turn)).toEqual([user('sub-prompt'), calling('look'), result('look')]);
    ask(turn, ...given, calling('research'), result('research'));
    expect(conversations.of(turn, given)).toEqual([user('go'), calling('research'), result('research')]);
  });
});

it('conversations that go on side by side keep their own answers, in whatever order they come', async () => {
  const { agent, conversations, ask } = door();
  const [one, two] = [[user('one')], [user('two')]];
  await agent.runTurn((turn) => {
    const first = ask(turn, ...one);
    const second = ask(turn, ...two);
    first.answered(calling('a'));
    second.answered(calling('b'));
    const next = ask(turn, ...two, calling('b'), result('b'));
    ask(turn, ...one, calling('a'), result('a')).answered(said('first'));
    next.answered(said('second'));
    expect(conversations.of(turn, one)).toEqual([...one, calling('a'), result('a'), said('first')]);
    expect(conversations.of(turn, two)).toEqual([...two, calling('b'), result('b'), said('second')]);
  });
});

it('conversations that were given the same are one', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('go')];
  await agent.runTurn((turn) => {
    ask(turn, ...given).answered(said('first'));
    ask(turn, ...given).answered(said('second'));
    expect(conversations.of(turn, given)).toEqual([...given, said('second')]);
  });
});

it('a conversation goes on where a second loop of the turn was given what the first one left', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('plan')];
  await agent.runTurn((turn) => {
    ask(turn, ...given).answered(said('a plan'));
    const second = [...conversations.of(turn, given), user('do it')];
    ask(turn, ...second).answered(said('done'));
    expect(conversations.of(turn, second)).toEqual([...second, said('done')]);
    expect(conversations.of(turn, given)).toEqual([...second, said('done')]);
  });
});

it.each([
  ['a summary of it', [user('What happened: go.'), calling('a'), result('a')]],
  ['its last messages', [calling('a'), result('a')]],
  ['the result only', [result('a')]],
  ['its first message, and the last ones', [user('old'), calling('a'), result('a')]],
])('a conversation is whole where the model was shown %s', async (_title, shown) => {
  const { agent, conversations, ask } = door();
  const given = [system, user('old'), said('answer'), user('go')];
  await agent.runTurn((turn) => {
    ask(turn, ...given).answered(calling('a'));
    ask(turn, ...shown).answered(calling('b'));
    ask(turn, ...shown, calling('b'), result('b')).answered(said('done'));
    const since = [calling('a'), result('a'), calling('b'), result('b'), said('done')];
    expect(conversations.of(turn, given)).toEqual([...given, ...since]);
  });
});

it('a conversation is whole where the model is shown the last two messages of it each time', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('go on'), said('answer'), user('go on')];
  await agent.runTurn((turn) => {
    ask(turn, ...given.slice(-2)).answered(calling('a'));
    ask(turn, calling('a'), result('a')).answered(said('one'));
    ask(turn, said('one'), user('go on')).answered(said('two'));
    ask(turn, said('two'), user('go on'));
    const since = [calling('a'), result('a'), said('one'), user('go on'), said('two'), user('go on')];
    expect(conversations.of(turn, given)).toEqual([...given, ...since]);
  });
});

it('a conversation keeps calls that a loop no longer shows its model', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('go')];
  await agent.runTurn((turn) => {
    ask(turn, ...given).answered(said('I pay.'), calling('pay'));
    ask(turn, ...given, said('I pay.'), calling('pay'), result('pay')).answered(calling('transfer'));
    ask(turn, ...given, said('I pay.')).answered(calling('deploy'));
    ask(turn, ...given).answered(said('done'));
    const since = [said('I pay.'), calling('pay'), result('pay'), calling('transfer'), calling('deploy'), said('done')];
    expect(conversations.of(turn, given)).toEqual([...given, ...since]);
  });
});

it('a conversation has what the loop has put behind what it was given, before it asked', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('old'), said('answer'), user('go')];
  const found = [calling('a'), result('a')];
  await agent.runTurn((turn) => {
    ask(turn, ...given, ...found).answered(said('found'));
    expect(conversations.of(turn, given)).toEqual([...given, ...found, said('found')]);
  });
});

it('a conversation has results of calls that were made before the turn', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('go'), calling('a'), calling('b')];
  await agent.runTurn((turn) => {
    ask(turn, ...given, result('b'), result('a')).answered(said('done'));
    expect(conversations.of(turn, given)).toEqual([...given, result('b'), result('a'), said('done')]);
  });
});

it('a conversation has each question once, also where the loop asks it in other words', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('old'), said('answer'), user('go')];
  const asked = [user('old'), said('answer'), user('It is Friday. Now: go'), calling('a'), result('a')];
  await agent.runTurn((turn) => {
    ask(turn, ...asked).answered(said('found'));
    expect(conversations.of(turn, given)).toEqual([...given, calling('a'), result('a'), said('found')]);
  });
});

it('a conversation does not keep what a loop adds to one prompt only', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('go')];
  const hint = user('Be brief.');
  await agent.runTurn((turn) => {
    ask(turn, ...given, hint).answered(calling('a'));
    ask(turn, ...given, calling('a'), result('a'), hint).answered(calling('b'));
    ask(turn, ...given, calling('a'), result('a'), calling('b'), result('b'), user('Or not.'));
    const since = [calling('a'), result('a'), calling('b'), result('b'), user('Or not.')];
    expect(conversations.of(turn, given)).toEqual([...given, ...since]);
  });
});

it('a conversation has the words that the loop has made of a reply', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('go')];
  await agent.runTurn((turn) => {
    ask(turn, ...given).answered(said('my key is 123'));
    ask(turn, ...given, said('my key is ***'), user('and then')).answered(said('one'));
    const since = [said('my key is ***'), user('and then'), said('one')];
    expect(conversations.of(turn, given)).toEqual([...given, ...since]);
  });
});

it.each(['call', 'same'])(
  'a tool that asks what was asked around it has a conversation of its own: ids %s',
  async (ids) => {
    const { agent, conversations, ask } = door();
    const given = [user('What is it?')];
    const id = (name: string) => (ids === 'same' ? 'call_0' : name);
    await agent.runTurn(async (turn) => {
      const outer = ask(turn, ...given);
      expect(outer.isOfTool).toBe(false);
      outer.answered(calling(id('delegate')));
      await turn.tool({ id: 'delegate', name: 'delegate' }, () => {
        const inner = ask(turn, ...given);
        expect(inner.isOfTool).toBe(true);
        inner.answered(calling(id('dig')));
        expect(ask(turn, ...given, calling(id('dig')), result(id('dig'))).isOfTool).toBe(true);
        expect(conversations.of(turn, given)).toEqual([...given, calling(id('delegate'))]);
        return 'dug';
      });
      const next = ask(turn, ...given, calling(id('delegate')), result(id('delegate')));
      expect(next.isOfTool).toBe(false);
      next.answered(said('done'));
      const since = [calling(id('delegate')), result(id('delegate')), said('done')];
      expect(conversations.of(turn, given)).toEqual([...given, ...since]);
    });
  },
);

it('a conversation has what the loop made of the last reply, unless it has gone on by then', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('go')];
  await agent.runTurn((turn) => {
    const call = ask(turn, ...given);
    call.became(() => []);
    call.answered(said('I look.'), calling('a'));
    call.became((reply) => [reply, result('a')]);
    expect(conversations.of(turn, given)).toEqual([...given, said('I look.'), calling('a'), result('a')]);
    ask(turn, ...given, said('I look.'), calling('a'), result('a'));
    call.became(() => []);
    expect(conversations.of(turn, given)).toEqual([...given, said('I look.'), calling('a'), result('a')]);
  });
});

it('a conversation has a result that the loop has joined with one that was given', async () => {
  const { agent, conversations, ask } = door();
  const joined = { role: 'tool', content: [...result('a').content, ...result('b').content] };
  const answer = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'q' }] };
  const given = [user('go'), calling('a'), calling('b'), result('a'), answer];
  await agent.runTurn((turn) => {
    ask(turn, user('go'), calling('a'), calling('b'), joined).answered(said('done'));
    expect(conversations.of(turn, given)).toEqual([...given, result('b'), said('done')]);
  });
});

it('a conversation is asked again by the same call after a message cut it, also where the provider holds it', async () => {
  const { agent } = stage();
  const conversations = new Conversations<object>();
  const given = [user('go')];
  await agent.runTurn((turn) => {
    const first = conversations.call(turn);
    first.asked(given, given, true);
    first.answered(calling('a'));
    const call = conversations.call(turn);
    call.asked([result('a')], [result('a')], true);
    call.asked([result('a')], [result('a'), user('use pnpm')], true);
    expect(conversations.of(turn, given)).toEqual([...given, calling('a'), result('a'), user('use pnpm')]);
  });
});

it('a conversation that the provider holds is whole, though only what is new is sent', async () => {
  const { agent } = stage();
  const conversations = new Conversations<object>();
  const given = [user('go')];
  await agent.runTurn((turn) => {
    const send = (...items: readonly object[]) => {
      const call = conversations.call(turn);
      call.asked(items, [...items, user('use pnpm')], true);
      return call;
    };
    send(...given).answered(said('I look.'), calling('a'));
    send(result('a')).answered(calling('b'));
    send(result('b'));
    const first = [user('go'), user('use pnpm'), said('I look.'), calling('a')];
    const rest = [result('a'), user('use pnpm'), calling('b'), result('b'), user('use pnpm')];
    expect(conversations.of(turn, given)).toEqual([...first, ...rest]);
  });
});

it('a conversation has all that was given, also where the loop sends less of it', async () => {
  const { agent, conversations, ask } = door();
  const given = [user('pay'), calling('a'), result('a'), calling('a'), result('a'), user('go')];
  const sent = [user('pay'), calling('a'), result('a'), user('go')];
  await agent.runTurn((turn) => {
    ask(turn, ...sent).answered(calling('b'));
    ask(turn, ...sent, calling('b'), result('b')).answered(said('done'));
    expect(conversations.of(turn, given)).toEqual([...given, calling('b'), result('b'), said('done')]);
  });
});

it('a conversation that was given something else than a list is refused', async () => {
  const { agent, conversations } = door();
  await agent.runTurn((turn) => {
    expect(() => conversations.of(turn, 'go' as never)).toThrow('must be the list that the loop was given, got "go"');
  });
});

it.each([[undefined], [null], [{}], ['turn']])('%s is no turn', (value) => {
  expect(() => new Conversations().of(value as never)).toThrow('turn must be a turn');
});
