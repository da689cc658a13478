#!/bin/sh
# The agent that a shell makes: a line, a request, a command. It knows of no stop: not in the stream, not in a batch, not in the wait for
# the next attempt, not beside its MCP server; and what is typed while it works it throws away.
trap : INT
said=''
schema='{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}'
wait=$([ -n "$MCP" ] && echo '{"id":1,"method":"tools/list"}' | node "$MCP" | sed 's/.*"tools":\[\({.*}\)\].*/\1/; s/inputSchema/parameters/')
tools='[{"type":"function","function":{"name":"shell","parameters":'$schema'}}'${wait:+,{\"type\":\"function\",\"function\":$wait\}}']'

ask() {
  for wait in 0.3 0.6 1.2 2.4; do
    reply=$(trap '' INT; curl -sf "$OPENAI_BASE_URL/chat/completions" -d "{\"model\":\"m\",\"tools\":$tools,\"messages\":[$said]}") && return
    (trap '' INT; sleep "$wait")
  done
  reply=''
}

while IFS= read -r line; do
  said="$said${said:+,}{\"role\":\"user\",\"content\":\"$line\"}"
  while :; do
    ask
    case $reply in *'"name":"wait_for_ever"'*) (trap '' INT; { echo '{"id":1,"method":"tools/call"}'; tail -f /dev/null; } | node "$MCP") ;; esac
    commands=$(printf '%s' "$reply" | grep -o '\\"command\\":\\"[^\\]*' | cut -c 15-)
    [ -z "$commands" ] && break
    calls='' results=''
    # shellcheck disable=SC2046
    set -- $(printf '%s' "$reply" | grep -o '"id":"call_[^"]*' | cut -c 7-)
    while IFS= read -r command; do
      # It notices a stop here, and kills whom it knows.
      $command > /dev/null 2>&1 &
      wait $! || kill $!
      calls="$calls${calls:+,}{\"id\":\"$1\",\"type\":\"function\",\"function\":{\"name\":\"shell\",\"arguments\":\"{\\\"command\\\":\\\"$command\\\"}\"}}"
      results="$results,{\"role\":\"tool\",\"tool_call_id\":\"$1\",\"content\":\"done\"}"
      shift
    done <<END
$commands
END
    said="$said,{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$calls]}$results"
  done
  said="$said,{\"role\":\"assistant\",\"content\":\"Understood.\"}"
  timeout 0.1 cat > /dev/null
  echo answered
done
