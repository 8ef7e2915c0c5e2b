/** An ACP agent with next to no time of its own: answers each request at once, and does nothing. */
'use strict'

const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': { sessionId: 'bare' },
}

let received = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (received + chunk).split('\n')
  received = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? null })}\n`)
  }
})
