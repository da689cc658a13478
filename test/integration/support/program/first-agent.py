# The agent that everybody writes first: a loop, a stream, subprocess. Python's standard library only. It notices a stop, and gets each
# thing wrong that a stop is about: it reads the stream to its end, kills the first process only, goes on with the batch, throws away
# what was typed, sleeps before it asks again, waits for its MCP server, forgets the results of calls, leaves the terminal as it was.
import json, os, signal, subprocess, sys, termios, time, urllib.error, urllib.request

URL = os.environ['OPENAI_BASE_URL'] + '/chat/completions'
SAVED = os.path.join(os.environ['HOME'], 'messages.json')
SCHEMA = {'type': 'object', 'properties': {'command': {'type': 'string'}}, 'required': ['command']}
LISTED = subprocess.run(['node', os.environ['MCP']], input=b'{"id":1,"method":"tools/list"}\n', stdout=subprocess.PIPE)
WAIT = json.loads(LISTED.stdout)['result']['tools'][0]
TOOLS = [{'type': 'function', 'function': {'name': 'bash', 'description': 'Run', 'parameters': SCHEMA}},
         {'type': 'function', 'function': {'name': WAIT['name'], 'description': WAIT['description'], 'parameters': WAIT['inputSchema']}}]
messages = json.load(open(SAVED)) if '--resume' in sys.argv else []
stopped, child = False, None


def on_stop(*_):
    global stopped
    if not busy:
        leave(130)
    stopped = True
    if child:
        child.kill()


def leave(*code):
    os._exit(code[0])


def post():
    body = json.dumps({'model': 'm', 'stream': True, 'messages': messages, 'tools': TOOLS}).encode()
    for wait in (0.3, 0.6, 1.2, 2.4, None):
        try:
            return urllib.request.urlopen(urllib.request.Request(URL, body, {'content-type': 'application/json'}))
        except urllib.error.HTTPError as error:
            if wait is None or error.code < 429:
                raise
            time.sleep(wait)


def ask():
    text, calls = '', {}
    for line in post():
        if not line.startswith(b'data: {'):
            continue
        for choice in json.loads(line[6:])['choices']:
            delta = choice['delta']
            text += delta.get('content') or ''
            sys.stdout.write(delta.get('content') or '')
            sys.stdout.flush()
            for piece in delta.get('tool_calls') or []:
                call = calls.setdefault(piece['index'], {'id': '', 'type': 'function', 'function': {'name': '', 'arguments': ''}})
                call['id'] += piece.get('id') or ''
                call['function']['name'] += piece['function'].get('name') or ''
                call['function']['arguments'] += piece['function'].get('arguments') or ''
    message = {'role': 'assistant', 'content': text or None}
    if calls:
        message['tool_calls'] = list(calls.values())
    messages.append(message)
    return message


def run(call):
    global child
    if call['function']['name'] == 'wait_for_ever':
        server = subprocess.Popen(['node', os.environ['MCP']], stdin=subprocess.PIPE, start_new_session=True)
        server.stdin.write(b'{"id":1,"method":"tools/call"}\n')
        server.stdin.flush()
        return server.wait()
    command = json.loads(call['function']['arguments'])['command']
    child = subprocess.Popen(['sh', '-c', command], stdout=subprocess.DEVNULL, start_new_session=True)
    child.wait()


def turn():
    while True:
        message = ask()
        for call in message.get('tool_calls') or []:
            run(call)
            if not stopped:
                messages.append({'role': 'tool', 'tool_call_id': call['id'], 'content': 'ok'})
        if stopped or not message.get('tool_calls'):
            return


busy = False
signal.signal(signal.SIGINT, on_stop)
signal.signal(signal.SIGTERM, leave)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
sys.stdout.write('\x1b[?2004h')
while True:
    termios.tcflush(0, termios.TCIFLUSH)
    line = input('\n> ')
    busy, stopped = True, False
    try:
        messages.append({'role': 'user', 'content': line})
        turn()
    except urllib.error.HTTPError as error:
        print('error', error.code, error.read()[:300])
    json.dump(messages, open(SAVED, 'w'))
    busy = False
