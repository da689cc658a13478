# The agent that everybody writes first: a loop, a stream, subprocess, KeyboardInterrupt. Python's standard library only.
import json, os, subprocess, sys, urllib.error, urllib.request

URL = os.environ['OPENAI_BASE_URL'] + '/chat/completions'
SCHEMA = {'type': 'object', 'properties': {'command': {'type': 'string'}}, 'required': ['command']}
TOOLS = [{'type': 'function', 'function': {'name': 'bash', 'description': 'Run', 'parameters': SCHEMA}}]
messages = []


def ask():
    body = json.dumps({'model': 'm', 'stream': True, 'messages': messages, 'tools': TOOLS}).encode()
    reply = urllib.request.urlopen(urllib.request.Request(URL, body, {'content-type': 'application/json'}))
    text, calls = '', {}
    for line in reply:
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


while True:
    try:
        messages.append({'role': 'user', 'content': input('\n> ')})
        while True:
            message = ask()
            if not message.get('tool_calls'):
                break
            for call in message['tool_calls']:
                command = json.loads(call['function']['arguments'])['command']
                done = subprocess.run(command, shell=True, capture_output=True, text=True, start_new_session=True)
                messages.append({'role': 'tool', 'tool_call_id': call['id'], 'content': done.stdout or 'ok'})
    except KeyboardInterrupt:
        print('\n[stopped]')
    except urllib.error.HTTPError as error:
        print('error', error.code, error.read()[:300])
    except EOFError:
        break
