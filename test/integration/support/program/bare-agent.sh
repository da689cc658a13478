#!/bin/sh
# The agent that a shell makes: a line, a request, a command. It knows nothing of a stop.
said=''
while IFS= read -r line; do
  said="$said${said:+,}{\"role\":\"user\",\"content\":\"$line\"}"
  while :; do
    tool='{"type":"function","function":{"name":"shell","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}}'
    reply=$(curl -s "$OPENAI_BASE_URL/chat/completions" -d "{\"model\":\"m\",\"tools\":[$tool],\"messages\":[$said]}")
    command=$(printf '%s' "$reply" | sed -n 's/.*\\"command\\":\\"\([^\\]*\)\\".*/\1/p')
    id=$(printf '%s' "$reply" | sed -n 's/.*"id":"\(call_[^"]*\)".*/\1/p')
    if [ -z "$command" ]; then
      said="$said,{\"role\":\"assistant\",\"content\":\"ok\"}"
      break
    fi
    said="$said,{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"$id\",\"type\":\"function\",\"function\":{\"name\":\"shell\",\"arguments\":\"{\\\"command\\\":\\\"$command\\\"}\"}}]}"
    $command > /dev/null 2>&1
    said="$said,{\"role\":\"tool\",\"tool_call_id\":\"$id\",\"content\":\"done\"}"
  done
  echo answered
done
