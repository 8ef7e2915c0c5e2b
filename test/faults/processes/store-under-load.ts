/**
 * A process to be killed: opens the store of a build, works under load, closes, and reports each
 * step.
 */
import type { Attempt } from '../ledger.ts'
import { runLoad } from '../load.ts'
import { openStore } from '../pieces/store.ts'
import type { Place } from '../place.ts'
import { chance } from '../random.ts'
import { sendToStore } from '../send-to-store.ts'
import { perform, report } from './task.ts'

export interface LoadTask {
  readonly place: Place
  readonly seed: string
  readonly run: string
  readonly writers: number
  readonly each: number
  readonly again: readonly Attempt[]
}

await perform(async (task: LoadTask) => {
  const store = await openStore(task.place, new URL('./writer.ts', import.meta.url))
  report({ type: 'opened' })
  // On SQLite the writer's thread has them, and here a name is enough.
  const send = sendToStore(
    store,
    'url' in task.place ? (await import('../pieces/use-cases.ts')).useCases : undefined,
  )
  await runLoad({ ...task, chance: chance(task.seed), send, report })
  report({ type: 'checked', refusal: await store.check().then(() => null, refusalOf) })
  report({ type: 'closing' })
  await store.close()
  report({ type: 'closed' })
})

function refusalOf(error: unknown): { code: string; text: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'none'
  return { code, text: String(error) }
}
