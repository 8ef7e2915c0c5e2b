/**
 * An ACP agent with next to no time of its own: answers each request at once, and does nothing. With a port, a prompt is a turn that never
 * ends, in which it says a few words for each piece that comes from there.
 */
'use strict'

const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': { sessionId: 'bare' },
}
const port = process.argv[2]

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

let received = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (received + chunk).split('\n')
  received = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    if (port !== undefined && method === 'session/prompt') speakWhenTold()
    else if (id !== undefined) say({ id, result: answers[method] ?? null })
  }
})

function speakWhenTold() {
  const content = { type: 'text', text: 'a few words and a few more; '.repeat(4) }
  const params = { sessionId: 'bare', update: { sessionUpdate: 'agent_message_chunk', content } }
  require('node:net')
    .connect(Number(port), '127.0.0.1')
    .on('data', () => say({ method: 'session/update', params }))
}
