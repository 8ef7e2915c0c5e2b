/** An ACP agent whose turn never ends: it says a few words for each byte that comes from the port it was given. */
'use strict'

const { connect } = require('node:net')

const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': { sessionId: 'bare' },
}

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

let received = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (received + chunk).split('\n')
  received = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    if (method === 'session/prompt') connect(Number(process.argv[2]), '127.0.0.1').on('data', speak)
    else if (id !== undefined) say({ id, result: answers[method] ?? null })
  }
})

function speak() {
  const update = {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: 'a few words and a few more; '.repeat(4) },
  }
  say({ method: 'session/update', params: { sessionId: 'bare', update } })
}
