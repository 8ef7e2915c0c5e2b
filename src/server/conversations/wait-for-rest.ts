/**
 * Waits until a session rests (SN14): nothing of it runs or is about to, or its agent asks somebody
 * who may answer. Keeps nothing: a wait that is cut off is asked again.
 */
import type { Who } from '../../domain/access/caller.ts'
import { turnsStream } from '../../domain/stream-name.ts'
import { readProgress } from '../../services/system/read-progress.ts'
import type { ServerDependencies } from '../dependencies.ts'
import { untilSeen } from '../live/until-seen.ts'

type WaitDependencies = Pick<ServerDependencies, 'app' | 'store' | 'clock' | 'closing'>

export interface Wait {
  readonly key: string
  readonly withinMs: number
  /** Nobody listens any more. */
  readonly gone: AbortSignal
}

/** As it stands then, or at the end of the time. */
export async function waitForRest(
  deps: WaitDependencies,
  who: Who,
  { key, withinMs, gone }: Wait,
): Promise<Awaited<ReturnType<typeof readProgress.run>>> {
  const { store, clock } = deps
  const read = () => deps.app.read(readProgress, { key }, who)
  const mayAnswer = who.scopes.includes('approve')
  const look = async () => {
    const progress = await read()
    const isAsked = mayAnswer && progress.requests.length > 0
    return !progress.isRunning || isAsked || gone.aborted || deps.closing ? progress : undefined
  }
  return (await untilSeen({ store, clock, stream: turnsStream(key), withinMs, look })) ?? read()
}
