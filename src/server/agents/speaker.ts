/**
 * Plays the loop of agents that are spoken to (CH12): looks whether one has to be told something or sent away when something happened
 * where their work comes from. Reads before it writes; what it has done is decided behind locks.
 */
import { parseWebKey } from '../../domain/conversation/key.ts'
import { parseStream, type StreamName } from '../../domain/stream/name.ts'
import type { Clock } from '../../platform/clock.ts'
import { eachByItself, inPages } from '../../platform/each-by-itself.ts'
import type { Logger } from '../../platform/logger.ts'
import { findSpokenLaunches, spokenAtOnce } from '../../services/find-spoken-launches.ts'
import { findSpokenStep } from '../../services/find-spoken-step.ts'
import { speakToAgent } from '../../services/speak-to-agent.ts'
import type { SpokenLaunch } from '../../store/queries/chat-turns.ts'
import type { Store } from '../../store/store.ts'
import { Lookout, type NamedPlace } from './lookout.ts'

/** Also how late somebody is sent away who has been idle for too long. */
const everyMs = 2000
const maxWaiting = 1000

/** One project, or all of them. */
type Place = string | undefined

export interface SpeakerParts {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export const createSpeaker = (parts: SpeakerParts): Lookout<Place> =>
  new Lookout<Place>({
    ...parts,
    everyMs,
    maxWaiting,
    lookedAtTogether: 1,
    everywhere: undefined,
    placesOf,
    lookAt: (projectId) => speakWhereNeeded(parts.store, projectId),
    complaint: 'An agent could not be told something',
  })

function* placesOf(name: StreamName): Iterable<NamedPlace<Place>> {
  const stream = parseStream(name)
  const projectId = stream?.kind === 'conversation' ? parseWebKey(stream.id)?.projectId : stream?.id
  if (stream?.kind === 'project' || stream?.kind === 'conversation') yield [projectId ?? '', projectId]
}

const speakWhereNeeded = (store: Store, projectId: Place): Promise<void> =>
  eachByItself(
    inPages<SpokenLaunch>((last) => store.query(findSpokenLaunches, { projectId, after: last?.launchId ?? '' }), spokenAtOnce),
    async (launch) => {
      const step = await store.query(findSpokenStep, launch)
      if (step) await store.run(speakToAgent, step)
    },
  )
