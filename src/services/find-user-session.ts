/** Which streams a use case about a user session has to lock; to another account it is not there (SE3, US3). */
import type { Who } from '../domain/credential/who.ts'
import { findCoordinatorRow } from '../store/queries/coordinators.ts'
import { selectCoordinatorsOf } from '../store/queries/role-agents.ts'
import { selectUserSession, type UserSessionRow } from '../store/queries/user-sessions.ts'
import { selectOfRole } from '../store/queries/worktrees.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { chosenMachine } from './chosen-machine.ts'
import { noSuchUserSession, type WhichUserSession } from './user-session-record.ts'

/** Whose it has to be: everybody's for who manages the installation. */
export const accountOf = ({ id, scopes }: Pick<Who, 'id' | 'scopes'>): string | null => (scopes.includes('manage') ? null : id)

/** Who would be started, in which role. */
export interface Start {
  readonly role: string
  readonly agentId: string | undefined
}

interface Asked {
  readonly userSessionId: string
  readonly accountId: string | null
  /** Also the coordinator that a new process would be given to. */
  readonly forStart?: Start | undefined
}

export interface FoundUserSession extends WhichUserSession {
  readonly startOn: string | null
  /** Why there is none, when others are there. */
  readonly cannotStart: string | null
}

export const findUserSession = defineQuery({
  name: 'find-user-session',
  run: async (reader, { userSessionId, accountId, forStart }: Asked): Promise<FoundUserSession> => {
    const row = await reader.first(selectUserSession, { id: userSessionId })
    if (!row || (accountId !== null && row.account_id !== accountId)) throw noSuchUserSession(userSessionId)
    const coordinators = await reader.all(selectCoordinatorsOf, { userSessionId })
    const { startOn, cannotStart } = forStart ? await placeForStart(reader, row, forStart) : nowhere
    const coordinatorIds = new Set(coordinators.map(({ coordinator_id }) => coordinator_id))
    if (startOn !== null) coordinatorIds.add(startOn)
    return { userSessionId, projectId: row.project_id, coordinatorIds: [...coordinatorIds], startOn, cannotStart }
  },
})

const nowhere = { startOn: null, cannotStart: null }

/** Where the role has its worktree, if it has one: its work is there and nowhere else (WT2, RS2). */
async function placeForStart(
  reader: Reader,
  { id: userSessionId, project_id: projectId }: UserSessionRow,
  { role, agentId }: Start,
): Promise<Pick<FoundUserSession, 'startOn' | 'cannotStart'>> {
  const tree = await reader.first(selectOfRole, { userSessionId, role })
  const own = tree && (await findCoordinatorRow(reader, tree.coordinator_id))
  if (own?.state === 'connected') return { startOn: own.id, cannotStart: null }
  const startOn = (await chosenMachine(reader, { agentId, projectId })) ?? null
  const other = startOn === null ? undefined : await findCoordinatorRow(reader, startOn)
  // The same machine under another name has it too.
  if (!own || !other || other.machine === own.machine) return { startOn, cannotStart: null }
  return { startOn: null, cannotStart: `Its worktree is on the machine ${own.machine}, which is not connected` }
}
