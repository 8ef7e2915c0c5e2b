/**
 * A real agent's recorded life (test/coordinator/acp/lives) played again as a process: a prompt
 * gets what the agent answered to the same words, its requests wait for their answers, and a turn
 * that was stopped waits for that. The record goes on as it did, whatever is answered.
 */
import { join } from 'node:path'
import { type AgentCommand, scripted } from './acp-agent.ts'

const lives = join(import.meta.dirname, '../coordinator/acp/lives')

export const recorded = (agent: string): AgentCommand =>
  scripted(`
    const file = ${JSON.stringify(join(lives, `${agent}.jsonl`))}
    const lines = require('node:fs').readFileSync(file, 'utf8').trim().split('\\n').map((line) => JSON.parse(line))
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
    const waiting = new Map()
    const until = (what) => new Promise((resolve) => waiting.set(what, resolve))
    const come = (what) => { waiting.get(what)?.(); waiting.delete(what) }
    const asks = (method, text) => lines.findIndex(({ to }) =>
      to?.method === method && (text === undefined || to.params.prompt.at(-1).text === text))
    const isAnswer = (id) => ({ from }) => from && !from.method && from.id === id
    let sessionId = '', asked = 0
    async function play(at) {
      const { id } = lines[at].to
      for (const { to, from } of lines.slice(at + 1)) {
        if (to?.method === 'session/cancel') await until('cancel')
        if (!from) continue
        if (!from.method) { if (from.id === id) return from.result; continue }
        const params = { ...from.params, sessionId }
        if (from.id === undefined) { send({ method: from.method, params }); continue }
        const request = 'r' + ++asked
        send({ id: request, method: from.method, params })
        await until(request)
      }
    }
    require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
      const { id, method, params } = JSON.parse(line)
      if (!method) return come(id)
      if (id === undefined) return come(method.split('/')[1])
      const at = asks(method, method === 'session/prompt' ? params.prompt.at(-1).text : undefined)
      if (at < 0) return send({ id, error: { code: -32601, message: method + ' is not in the record' } })
      if (method === 'session/prompt') return send({ id, result: await play(at) })
      const { result } = lines.slice(at).find(isAnswer(lines[at].to.id)).from
      sessionId = result?.sessionId ?? sessionId
      send({ id, result })
    })
  `)
