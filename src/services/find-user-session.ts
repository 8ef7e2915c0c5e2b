/** Which streams a use case about a user session has to lock; to another account it is not there (SE3, US3). */
import type { Who } from '../domain/credential/who.ts'
import { selectCoordinatorsOf } from '../store/queries/role-agents.ts'
import { selectUserSession } from '../store/queries/user-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { chosenMachine } from './chosen-machine.ts'
import { noSuchUserSession, type WhichUserSession } from './user-session-record.ts'

/** Whose it has to be: everybody's for who manages the installation. */
export const accountOf = ({ id, scopes }: Pick<Who, 'id' | 'scopes'>): string | null => (scopes.includes('manage') ? null : id)

interface Asked {
  readonly userSessionId: string
  readonly accountId: string | null
  /** Also the coordinator that a new process would be given to. */
  readonly forStart?: boolean
  /** Of the agent that would be started. */
  readonly agentId?: string | undefined
}

export type FoundUserSession = WhichUserSession & { readonly startOn: string | null }

export const findUserSession = defineQuery({
  name: 'find-user-session',
  run: async (reader, { userSessionId, accountId, forStart, agentId }: Asked): Promise<FoundUserSession> => {
    const row = await reader.first(selectUserSession, { id: userSessionId })
    if (!row || (accountId !== null && row.account_id !== accountId)) throw noSuchUserSession(userSessionId)
    const coordinators = await reader.all(selectCoordinatorsOf, { userSessionId })
    const startOn = forStart ? ((await chosenMachine(reader, { agentId, projectId: row.project_id })) ?? null) : null
    const coordinatorIds = new Set(coordinators.map(({ coordinator_id }) => coordinator_id))
    if (startOn !== null) coordinatorIds.add(startOn)
    return { userSessionId, projectId: row.project_id, coordinatorIds: [...coordinatorIds], startOn }
  },
})
