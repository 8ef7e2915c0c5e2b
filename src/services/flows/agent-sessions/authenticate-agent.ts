/**
 * Signs an agent process in and gives it a lease on (agent, project) (AS1-AS4). The purpose is
 * chosen from the available work; without work nothing is created. All failures give the same
 * refusal, so that trying reveals nothing. A launch that repeats the call gets its session with a
 * new token (AS8).
 */

import {
  begin,
  type EndReason,
  type LiveAgentSession,
  type Purpose,
} from '../../../domain/agent-sessions/lifecycle.ts'
import { afterAuthentication } from '../../../domain/agent-sessions/next-action.ts'
import { detectWork } from '../../../domain/agent-sessions/work-detection.ts'
import { Refusal } from '../../../domain/errors.ts'
import {
  durationMs,
  effectiveSettings,
  type ProjectSettings,
} from '../../../domain/projects/settings.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { home, projectStream } from '../../../domain/stream-name.ts'
import { hashSecret, sameHash } from '../../../platform/secrets/secrets.ts'
import type { AgentSession } from '../../../protocol/agent-sessions/agent-session.ts'
import {
  agentSessionFrom,
  agentSessionOf,
  liveOfPair,
  type Pair,
  type Post,
} from '../../../store/agent-sessions/agent-sessions.ts'
import { postKey } from '../../../store/conversations/panels.ts'
import type { AgentCaller } from '../../../store/conversations/unread.ts'
import { findLaunch, selectLaunchByToken } from '../../../store/processes/launches.ts'
import { chosenSettings, selectAssignment } from '../../../store/projects/projects.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { ownRow, taskFor, workFactsOf } from '../../agent-sessions/agent-session-record.ts'
import { addAgentSession } from '../../agent-sessions/move-agent-session.ts'
import { takeOwnership } from '../../work/end-work-session.ts'
import { placeTask } from '../../work/place-task.ts'
import { beginElsewhere } from '../turns/begin-turn.ts'
import { endAgentSession } from './end-agent-session.ts'

interface SignIn extends Pair {
  /** Hash of the passkey, launch token (CO4), or bearer token. */
  readonly passkeyHash: string
  /** As the agent states. A launch token overrides it. */
  readonly launchId?: string | null | undefined
}

export type SignedIn =
  | { readonly status: 'no_work' }
  | {
      readonly status: 'ok'
      /** Shown once. */
      readonly token: string
      readonly agentSession: AgentSession
      readonly instruction: string
    }

interface Verified {
  readonly settings: ProjectSettings
  readonly launch:
    | {
        readonly id: string
        readonly lane: string
        readonly stop_reason: string | null
        readonly role_agent_id: string | null
      }
    | undefined
}

/** AS1: the same for every failure. */
export const authenticationFailed = (): Refusal =>
  new Refusal('authentication_failed', refusalText('passkeyWrong'))

/** Compared for an unknown agent, so that it is refused no faster than a wrong passkey. */
const unknownAgentHash = hashSecret('')

export const authenticateAgent = defineUseCase('authenticate-agent', {
  scope: 'agent',
  on: 'caller',
  answersSecret: true,
  // Agents and assignments are decided under home's lock.
  streams: ({ projectId }: SignIn) => [home, projectStream(projectId)],
  run: async (tx, input, context): Promise<SignedIn> => {
    const { settings, launch } = await verify(tx, input)
    const signIn = launch ? { ...input, launchId: launch.id } : input
    const held = await agentSessionOfLaunch(tx, signIn)
    if (held) return renewToken(tx, held, context)
    // A launch being stopped takes no work. An agent in a role gets its work there (AG2).
    if (launch?.stop_reason || launch?.role_agent_id) return { status: 'no_work' }
    const lane = launch?.lane ?? (await laneOfNamed(tx, input))
    return takeLease(tx, { ...signIn, lane }, settings, context)
  },
})

async function verify(
  reader: Reader,
  { agentId, projectId, passkeyHash }: SignIn,
): Promise<Verified> {
  const agent = await reader.row('agents', { id: agentId })
  const assigned = await reader.first(selectAssignment, {
    project_id: projectId,
    agent_id: agentId,
  })
  const project = await reader.row('projects', { id: projectId })
  const token = await reader.first(selectLaunchByToken, { hash: passkeyHash })
  const launch = token?.agent_id === agentId && token.project_id === projectId ? token : undefined
  const matches =
    sameHash(passkeyHash, agent?.passkey_hash ?? unknownAgentHash) || launch !== undefined
  if (!matches || !agent || !assigned || !project) throw authenticationFailed()
  return { settings: effectiveSettings(chosenSettings(project)), launch }
}

/** A process that was started for a thread serves it, also when it signs in with a passkey. */
async function laneOfNamed(
  reader: Reader,
  { launchId, agentId, projectId }: SignIn,
): Promise<string> {
  const launch = launchId ? await findLaunch(reader, launchId) : undefined
  const isOwn = launch?.agentId === agentId && launch.projectId === projectId
  return isOwn && launch.state !== 'ended' ? launch.lane : ''
}

async function agentSessionOfLaunch(
  reader: Reader,
  { launchId, ...pair }: SignIn,
): Promise<LiveAgentSession | undefined> {
  if (!launchId) return undefined
  return (await liveOfPair(reader, pair)).find(
    (each) => each.launchId === launchId && each.state === 'active',
  )
}

async function renewToken(tx: Tx, held: LiveAgentSession, { random }: Context): Promise<SignedIn> {
  const token = random.secret('session')
  await tx.update('agent_sessions', { id: held.id, token_hash: hashSecret(token) })
  return signedIn(held, token)
}

/** Creates the agent session for a verified caller. `purpose` restricts what it may be for. */
export async function takeLease(
  tx: Tx,
  input: Post & { readonly launchId?: string | null | undefined; readonly purpose?: Purpose },
  settings: ProjectSettings,
  context: Context,
): Promise<SignedIn> {
  const { now, random } = context
  const { agentId, projectId, lane, launchId = null } = input
  const found = detectWork(now, await workFactsOf(tx, input))
  if (found.purpose === 'no_work' || (input.purpose ?? found.purpose) !== found.purpose)
    return { status: 'no_work' }
  if (found.purpose === 'chat' && found.usesUpPendingChat)
    await tx.delete('pending_purposes', postKey(input))
  const id = random.uuid()
  const task = found.purpose === 'task' ? await taskFor(tx, { agentId, projectId }) : undefined
  const placed = task && (await placeTask(tx, task, { id, agentId, workSessionId: null }, context))
  const lease = {
    id,
    agentId,
    projectId,
    lane,
    purpose: found.purpose,
    launchId,
    workSessionId: placed?.session_id ?? null,
  }
  const agentSession = begin(now, lease, durationMs(settings, 'agent_session.ttl_minutes'))
  const token = random.secret('session')
  await addAgentSession(tx, agentSession, {
    agent_id: agentId,
    project_id: projectId,
    lane,
    launch_id: launchId,
    token_hash: hashSecret(token),
  })
  if (placed) await takeOwnership(tx, placed.session_id, id)
  const data = { agentSession: agentSessionOf(agentSession) }
  tx.append(projectStream(projectId), { type: 'agent-session-started', data }, [home])
  return signedIn(agentSession, token)
}

const signedIn = (agentSession: LiveAgentSession, token: string): SignedIn => ({
  status: 'ok',
  token,
  agentSession: agentSessionOf(agentSession),
  instruction: afterAuthentication(agentSession.purpose),
})

/** Ends an agent's own session (`logout`). Changes nothing if it has already ended (AS8). */
export const logoutAgent = defineUseCase('logout-agent', {
  scope: 'agent',
  on: 'caller',
  streams: ({ projectId }: AgentCaller) => [home, projectStream(projectId)],
  run: async (tx, caller, context): Promise<{ endReason: EndReason }> => {
    const current = agentSessionFrom(await ownRow(tx, caller))
    if (current.state === 'ended') return { endReason: current.endReason }
    await endAgentSession(tx, current, 'logout', context)
    await beginElsewhere(tx, current.projectId, context)
    const ended = agentSessionFrom(await ownRow(tx, caller))
    return { endReason: ended.state === 'ended' ? ended.endReason : 'logout' }
  },
})
