/**
 * A process that keeps one PostgreSQL for another process and never outlives it: when its owner is
 * gone, for whatever reason, it stops the server and removes its folder. Started by postgres.ts
 * with the folder and the owner's pid as arguments, and for a test that has one to itself and sends
 * `stop` and `start`, the folder of the shared one and the settings.
 */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PostgresCluster, removeCluster } from './postgres-cluster.ts'
import { isAlive } from './postgres-leftovers.ts'

/** What a test asks of its own server, and the answer. */
export type RunnerRequest = { readonly stop: 'SIGINT' | 'SIGQUIT' } | 'start' | 'end'
export type RunnerReply = { readonly ok: true } | { readonly ok: false; readonly why: string }

const watchMs = 250
const [folder = '', owner = '', first, ...settings] = process.argv.slice(2)
const cluster = new PostgresCluster(folder, settings, first)

async function end(): Promise<void> {
  // Nobody needs what is in it any more, so nothing has to be written out.
  await cluster.stop('SIGQUIT').catch(() => {})
  await removeCluster(folder).catch(() => {})
  process.exit()
}

/** Writes the file whole or not at all: a waiting process reads it at once. */
async function tell(name: 'ready' | 'failed', text: string): Promise<void> {
  await writeFile(join(folder, `${name}.new`), text, { mode: 0o600 })
  await rename(join(folder, `${name}.new`), join(folder, name))
}

async function run(request: RunnerRequest): Promise<void> {
  if (request === 'end') return end()
  if (request === 'start') return cluster.start()
  return cluster.stop(request.stop)
}

setInterval(() => isAlive(owner) || void end(), watchMs)
process.on('disconnect', () => void end())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end())
process.on('message', (request: RunnerRequest) => {
  const answer = (reply: RunnerReply): void => void process.send?.(reply)
  run(request).then(
    () => answer({ ok: true }),
    (error) => answer({ ok: false, why: String(error) }),
  )
})

try {
  await tell('ready', JSON.stringify(await cluster.create()))
} catch (error) {
  await tell('failed', error instanceof Error ? String(error.stack) : String(error))
  await cluster.stop('SIGQUIT')
}
