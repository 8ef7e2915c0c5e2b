/**
 * An agent that misbehaves, as a script of its own process. It greets and opens like any other,
 * unless told otherwise; what it does with a prompt is given as source. In there: `send(message)`,
 * `raw(text)`, `update(fields)`, `done()` to answer the prompt, `ask(method, params)` for a request
 * of its own, `text` of the prompt.
 */
import { type AgentCommand, scripted } from './acp-agent.ts'

export interface Misbehaviour {
  readonly onPrompt?: string
  /** In the place of the answer to initialize. */
  readonly onInitialize?: string
  /** In the place of the answer to session/new. */
  readonly onNew?: string
  readonly atStart?: string
}

const greeting = 'send({ id, result: { protocolVersion: 1, agentCapabilities: {} } })'
const opening = "send({ id, result: { sessionId: 's1' } })"

export const hostile = ({
  onPrompt = 'done()',
  onInitialize = greeting,
  onNew = opening,
  atStart = '',
}: Misbehaviour): AgentCommand =>
  scripted(`
    const raw = (text) => process.stdout.write(text)
    const send = (message) => raw(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
    const update = (fields, sessionId = 's1') => send({ method: 'session/update', params: { sessionId, update: fields } })
    const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
    const waiting = new Map()
    let asked = 0
    const ask = (method, params) => new Promise((resolve) => {
      const id = 'a' + ++asked
      waiting.set(id, resolve)
      send({ id, method, params })
    })
    const act = {
      initialize: async ({ id, params }) => { ${onInitialize} },
      'session/new': async ({ id, params }) => { ${onNew} },
      'session/prompt': async ({ id, params }) => {
        const text = params.prompt[0].text
        const done = (result = { stopReason: 'end_turn' }) => send({ id, result })
        ${onPrompt}
      },
    }
    ${atStart}
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line)
      if (message.method) act[message.method]?.(message)
      else { waiting.get(message.id)?.(message); waiting.delete(message.id) }
    })
  `)
