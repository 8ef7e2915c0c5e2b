/**
 * Takes the agents of the registry of the Agent Client Protocol into
 * `src/adapters/agents/registry.json`, which the catalogue of agents is made of:
 * `node scripts/refresh-agents.ts`, or with `--from ADDRESS` and `--to FILE`. Prints what it left
 * out. A registry that cannot be read changes nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRegistry } from '../src/adapters/agents/registry-form.ts'

const patienceMs = 30_000
const maxBytes = 5 * 1024 * 1024

const { values } = parseArgs({
  options: {
    from: {
      type: 'string',
      default: 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json',
    },
    to: {
      type: 'string',
      default: join(import.meta.dirname, '..', 'src', 'adapters', 'agents', 'registry.json'),
    },
  },
})

async function download(from: string): Promise<string> {
  const answer = await fetch(from, { signal: AbortSignal.timeout(patienceMs) })
  if (!answer.ok) throw new Error(`it answered ${answer.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** What is there already, however it is formatted. */
function agentsIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

try {
  const { agents, left } = readRegistry(JSON.parse(await download(values.from)))
  for (const each of left) console.log(`left out ${each}`)
  if (agents.length === 0) throw new Error('it has no agent that can be installed')
  const isNew = JSON.stringify(agents) !== JSON.stringify(agentsIn(values.to))
  if (isNew) writeFileSync(values.to, `${JSON.stringify(agents, null, 2)}\n`)
  console.log(`${agents.length} agents, ${isNew ? 'written' : 'as before'}`)
} catch (error) {
  const why = error instanceof Error ? error.message : String(error)
  console.error(`The registry was not read: ${why}. Nothing was changed.`)
  process.exitCode = 1
}
