/**
 * An ACP agent that asks models through the gateway: four in each turn, in the four forms, each under a name of its own. Writes the names of those
 * whose answer it had whole into the file in `argv`, and says what it sees of keys: its environment, and everybody's command line.
 */
'use strict'

const { appendFileSync, readdirSync, readFileSync } = require('node:fs')
const { randomUUID } = require('node:crypto')
const { HOLDFAST_GATEWAY_URL: url, HOLDFAST_GATEWAY_KEY: key } = process.env
const [, , file] = process.argv

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': () => ({ sessionId: randomUUID() }),
}
const forms = [
  [() => '/v1/messages', { 'x-api-key': key }],
  [() => '/v1/responses', { authorization: `Bearer ${key}` }],
  [() => '/v1/chat/completions', { authorization: `Bearer ${key}` }],
  [(model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`, { 'x-goog-api-key': key }],
]

async function ask(path, headers) {
  const model = `m-${randomUUID()}`
  const body = JSON.stringify({ model, stream: true, stream_options: { include_usage: true } })
  const came = await fetch(url + path(model), {
    method: 'POST',
    headers: { ...headers, 'x-do': 'paced' },
    body,
  })
  await came.text()
  if (came.status === 200) appendFileSync(file, `${model}\n`)
}

function commandLines() {
  const lines = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return lines.flatMap((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
        .split('\0')
        .filter((word) => word.includes('planted'))
    } catch {
      return []
    }
  })
}

async function turn(sessionId) {
  for (const [path, headers] of forms) await ask(path, headers).catch(() => {})
  const content = {
    type: 'text',
    text: `asked, and sees ${JSON.stringify([process.env, commandLines()])}`,
  }
  say({
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } },
  })
  return { stopReason: 'end_turn' }
}

let received = ''
process.stdin.setEncoding('utf8')
process.stdin.on('end', () => process.exit(0))
process.stdin.on('data', async (chunk) => {
  const lines = (received + chunk).split('\n')
  received = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    const answer = answers[method]
    const result =
      method === 'session/prompt'
        ? await turn(params.sessionId)
        : typeof answer === 'function'
          ? answer()
          : (answer ?? null)
    say({ id, result })
  }
})
