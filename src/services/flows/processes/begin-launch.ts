/**
 * Begins launches (CO11): the node that a coordinator is connected to begins what fits on the
 * machine, oldest first, and sends how to start it: the particulars and a new token (CO4), of which
 * only the hash is stored. A launch whose work is gone is withdrawn instead. One that never reached
 * its coordinator is begun again, which replaces the token.
 */
import { detectWork, type WorkFound } from '../../../domain/agent-sessions/work-detection.ts'
import { type StoredEnvironment, sealedOtherwise } from '../../../domain/agents/environment.ts'
import { isolationOf } from '../../../domain/agents/isolation.ts'
import { chatKey } from '../../../domain/conversations/key.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { Detail } from '../../../domain/notices.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { nextToBegin } from '../../../domain/processes/next-launch.ts'
import { durationMs } from '../../../domain/projects/settings.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import {
  coordinatorStream,
  home,
  projectStream,
  userSessionStream,
} from '../../../domain/stream-name.ts'
import { hashSecret } from '../../../platform/secrets/secrets.ts'
import type { AgentReport } from '../../../protocol/agents/report.ts'
import type { SecretForm } from '../../../protocol/agents/secret.ts'
import type { LaunchParticulars } from '../../../protocol/processes/link.ts'
import type { AcpParticulars } from '../../../protocol/turns/link.ts'
import type { AgentRow } from '../../../store/agents/agents.ts'
import { recordUse, secretsGivenTo } from '../../../store/agents/secrets.ts'
import type { RoleAgentRow } from '../../../store/consoles/user-sessions.ts'
import { jsonIn } from '../../../store/fields.ts'
import { findLaunch, liveCountsOn, oldestWaitingOn } from '../../../store/processes/launches.ts'
import { selectAssignment } from '../../../store/projects/projects.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { selectContextOf } from '../../../store/turns/contexts.ts'
import { queuedChats } from '../../../store/turns/turns.ts'
import { setUpOf } from '../../../store/worktrees/worktrees.ts'
import { taskFor, workFactsOf } from '../../agent-sessions/agent-session-record.ts'
import { allowedInSandbox } from '../../approvals/allowance-record.ts'
import { workspaceFor } from '../../conversations/conversation-workplace.ts'
import { sandboxOf } from '../../conversations/next-agent.ts'
import { workKeyOf } from '../../conversations/own-conversation.ts'
import {
  type InEpoch,
  moveLaunch,
  requireCurrentEpoch,
  startableAgent,
} from '../../processes/launch-record.ts'
import { threadPlaceOf } from '../../processes/thread-place.ts'
import { settingsOf } from '../../projects/project-record.ts'
import {
  acpSessionToOpen,
  contextFacts,
  getOrCreateContext,
  roleContextKey,
} from '../../turns/context-record.ts'
import { beginOpening } from '../../turns/move-context.ts'
import { ownerWithSessions, transcriptOwner } from '../../turns/transcript-owner.ts'
import { endRoleAgentOf } from '../consoles/move-role-agent.ts'

interface Begin extends InEpoch {
  /** The key that the receiver can open sealed values with (SE12). */
  readonly keyId: string
  /**
   * The connection that it is sent on. A coordinator that has greeted again, perhaps at another
   * node, gets nothing there. Left out: the coordinator asks.
   */
  readonly greeting?: string | undefined
}

/** With its values still sealed. */
export interface SealedParticulars
  extends Omit<LaunchParticulars, 'type' | 'env' | 'secrets' | 'gatewayKey'> {
  readonly env: StoredEnvironment
  /** Under its secret's name; empty without a gateway. */
  readonly gatewayKey: StoredEnvironment
  readonly secrets: { readonly environment: StoredEnvironment; readonly files: StoredEnvironment }
}
export type BegunLaunch = SealedParticulars | { readonly withdrawn: true }

/**
 * Begins a launch that its coordinator does not have: it was begun, and lost with the connection.
 * Coordinators of the build before ask for theirs.
 */
export const beginLaunch = defineUseCase('begin-launch', {
  scope: 'link',
  on: 'caller',
  answersSecret: true,
  streams: ({ coordinatorId }: Begin & { readonly launchId: string }) => [
    home,
    coordinatorStream(coordinatorId),
  ],
  run: async (tx, { launchId, ...from }, context): Promise<BegunLaunch> => {
    const launch = await findLaunch(tx, launchId)
    return launch ? begin(tx, launch, from, context) : { withdrawn: true }
  },
})

interface BeginNext extends Begin {
  /** For a machine without a capacity of its own. */
  readonly maxConcurrent: number
}

/** Begins the launch that is next among those that wait for its machine (CO2). */
export const beginNextLaunch = defineUseCase('begin-next-launch', {
  scope: 'server',
  on: 'nobody',
  answersSecret: true,
  streams: ({ coordinatorId }: BeginNext) => [home, coordinatorStream(coordinatorId)],
  run: async (tx, { maxConcurrent, ...from }, context): Promise<BegunLaunch | null> => {
    const { coordinatorId } = from
    tx.lock(coordinatorStream(coordinatorId))
    const { capacity, greeting } = await requireCurrentEpoch(tx, from)
    if (greeting !== from.greeting) return null
    const live = await liveCountsOn(tx, coordinatorId)
    const next = nextToBegin(live, Number(capacity ?? maxConcurrent))
    const launch = next && (await oldestWaitingOn(tx, coordinatorId, next))
    return launch ? begin(tx, launch, from, context) : null
  },
})

async function begin(
  tx: Tx,
  launch: Launch,
  { keyId, greeting, ...from }: Begin,
  context: Context,
): Promise<BegunLaunch> {
  const { id: launchId } = launch
  const { random } = context
  tx.lock(projectStream(launch.projectId))
  const receiver = await requireCurrentEpoch(tx, from)
  if (greeting !== undefined && greeting !== receiver.greeting) return { withdrawn: true }
  // The launch was given to another coordinator, so it is withdrawn for this one.
  if (launch.coordinatorId !== from.coordinatorId) return { withdrawn: true }
  if (launch.state === 'ended' || launch.state === 'held' || launch.stopReason !== null)
    return { withdrawn: true }
  if (launch.state === 'running')
    throw new Refusal('wrong_state', refusalText('launchRuns', { id: launchId }), { launchId })
  const { agentId, projectId } = launch
  const wanted =
    launch.roleAgentId === null
      ? await needForWork(tx, launch, context)
      : await needInRole(tx, launch, context)
  if (!wanted) {
    const ended = await moveLaunch(
      tx,
      launch,
      { type: 'stop', reason: 'withdrawn', ...(await withdrawalDetail(tx, launch)) },
      context,
    )
    // The coordinator reports the end of a launch that had begun.
    if (ended?.state === 'ended') await endRoleAgentOf(tx, ended, context)
    return { withdrawn: true }
  }
  const { agent, acp, owner } = wanted
  const env = JSON.parse(agent.env) as StoredEnvironment
  const assigned = await tx.first(selectAssignment, { project_id: projectId, agent_id: agentId })
  const chosen = isolationOf(agent.isolation, assigned?.isolation)
  const within = { lane: launch.lane, agentId, own: chosen.sandbox }
  const isolation = { ...chosen, sandbox: await sandboxOf(tx, within) }
  const { gateway, allow } = isolation
  const { folders, remembered } = await allowedInSandbox(tx, { projectId, agentId }, context.now)
  const key = gateway && (await tx.row('secrets', { project_id: projectId, name: gateway.secret }))
  const sealedKey: StoredEnvironment =
    gateway && key ? { [gateway.secret]: JSON.parse(key.sealed) } : {}
  // GW2: what the gateway adds, the agent does not get.
  const given = (await secretsGivenTo(tx, agentId, projectId)).filter(
    ({ name }) => name !== gateway?.secret,
  )
  const inForm = (form: SecretForm): StoredEnvironment =>
    Object.fromEntries(
      given.filter(({ givenAs }) => givenAs === form).map(({ name, sealed }) => [name, sealed]),
    )
  const secrets = { environment: inForm('environment'), files: inForm('file') }
  const unopened = [env, secrets.environment, secrets.files, sealedKey].flatMap((each) =>
    sealedOtherwise(each, keyId),
  )
  const { workspace, problem } =
    acp === null ? await threadPlaceOf(tx, launch) : { workspace: undefined, problem: undefined }
  const missing =
    problem ??
    (gateway &&
      !key &&
      statusNotice('gatewayWithoutSecret', { agent: agentId, name: gateway.secret }))
  if (unopened.length > 0 || missing) {
    const error =
      missing || statusNotice('keysNotOpened', { names: unopened.join(', '), agent: agentId })
    const failed = await moveLaunch(tx, launch, { type: 'start-failed', error }, context)
    if (failed) await endRoleAgentOf(tx, failed, context)
    return { withdrawn: true }
  }
  await moveLaunch(tx, launch, { type: 'begin' }, context)
  const launchToken = random.secret('launch')
  await tx.update('launches', { id: launchId, token_hash: hashSecret(launchToken) })
  const folder = (await tx.row('projects', { id: projectId }))?.path ?? null
  await tx.update('launches', { id: launchId, folder: folder ?? '' })
  const command = agent.command ?? ''
  const { agentInfo }: Partial<AgentReport> = jsonIn(agent.report) ?? {}
  const isIsolated =
    isolation.sandbox !== 'off' ||
    isolation.wrapper !== null ||
    gateway !== null ||
    given.length > 0
  const theirs =
    isolation.sandbox === 'off' ? {} : { owner: await ownerWithSessions(tx, owner, agentId) }
  const use = {
    project_id: projectId,
    launch_id: launchId,
    agent_id: agentId,
    used_at: context.now,
  }
  for (const { name, givenAs } of given) await recordUse(tx, { ...use, name, given_as: givenAs })
  if (gateway) await recordUse(tx, { ...use, name: gateway.secret, given_as: 'gateway' })
  return {
    launchId,
    agentId,
    projectId,
    protocol: agent.protocol,
    command,
    args: JSON.parse(agent.args),
    env,
    secrets,
    folder,
    launchToken,
    acp,
    ...(workspace && { workspace }),
    ...(isIsolated && {
      isolation: {
        ...isolation,
        allow: { ...allow, folders: [...allow.folders, ...folders] },
        remembered,
        command,
        ...theirs,
        ...(agentInfo && { agentInfo }),
      },
    }),
    gatewayKey: sealedKey,
  }
}

/** The reason shown to the person waiting in a role. */
async function withdrawalDetail(
  reader: Reader,
  { roleAgentId, agentId }: Launch,
): Promise<{ detail?: Detail }> {
  if (roleAgentId === null || (await reader.row('agents', { id: agentId }))) return {}
  return { detail: statusNotice('agentDeleted', { agent: agentId }) }
}

interface LaunchNeed {
  readonly agent: AgentRow
  readonly acp: AcpParticulars | null
  /** SB12 */
  readonly owner: string
}

/** A launch not needed any more is not started. */
async function needForWork(
  tx: Tx,
  launch: Launch,
  context: Context,
): Promise<LaunchNeed | undefined> {
  const agent = await startableAgent(tx, launch)
  const { purpose } = detectWork(context.now, await workFactsOf(tx, launch))
  if (!agent || (launch.state === 'waiting' && purpose === 'no_work')) return undefined
  const ofProject = { projectId: launch.projectId, key: '', originKey: '' }
  if (agent.protocol === 'mcp')
    return { agent, acp: null, owner: await transcriptOwner(tx, ofProject) }
  // CH12: turns are pushed to it.
  const limits = await timeLimits(tx, launch.projectId)
  const { owner, ...opened } = await contextToOpen(tx, launch, purpose, context)
  return { agent, acp: { ...opened, ...limits }, owner }
}

type Opening = Pick<
  AcpParticulars,
  'workspace' | 'loadAcpSessionId' | 'forks' | 'lastOpenedAt' | 'contextId'
>

/**
 * The context opened together with the process, for a fast first answer: of the next turn, the open
 * panel, or its task.
 */
async function contextToOpen(
  tx: Tx,
  launch: Launch,
  purpose: WorkFound['purpose'],
  context: Context,
): Promise<Opening & Pick<LaunchNeed, 'owner'>> {
  const { agentId, projectId } = launch
  const [next] = purpose === 'task' ? [] : await queuedChats(tx, launch)
  const workKey = purpose === 'task' ? await workKeyFor(tx, launch) : undefined
  const key = workKey ?? next?.conversationKey ?? chatKey(launch)
  const contextKey = { agentId, projectId, key, originKey: next?.originKey ?? '' }
  const owner = await transcriptOwner(tx, contextKey)
  const row = await getOrCreateContext(tx, contextKey, context)
  const workspace = await workspaceFor(tx, contextKey)
  await beginOpening(tx, row, launch.id)
  const { acpSessionId: loadAcpSessionId, lastOpenedAt, ...forks } = acpSessionToOpen(row)
  return {
    workspace,
    loadAcpSessionId,
    ...forks,
    lastOpenedAt: loadAcpSessionId === null ? null : lastOpenedAt,
    contextId: row.id,
    owner,
  }
}

async function workKeyFor(
  reader: Reader,
  { agentId, projectId }: Launch,
): Promise<string | undefined> {
  const task = await taskFor(reader, { agentId, projectId })
  return workKeyOf(reader, task?.session_id ?? null, agentId)
}

async function timeLimits(
  reader: Reader,
  projectId: string,
): Promise<Pick<AcpParticulars, 'startWithinMs' | 'turnWithinMs'>> {
  const settings = await settingsOf(reader, projectId)
  return {
    startWithinMs: durationMs(settings, 'agent.start_timeout_seconds'),
    turnWithinMs: durationMs(settings, 'turn.max_minutes'),
  }
}

/** AG2: while its role still waits for it. */
async function needInRole(
  tx: Tx,
  launch: Launch,
  context: Context,
): Promise<LaunchNeed | undefined> {
  const row = await tx.row('role_agents', { id: launch.roleAgentId ?? '' })
  if (row) tx.lock(userSessionStream(row.user_session_id))
  const agent = await tx.row('agents', { id: launch.agentId })
  if (!agent || row?.launch_id !== launch.id || row.terminating_at !== null) return undefined
  if (row.state !== 'SPAWNING' && (row.state !== 'ACTIVE' || row.asleep_at === null))
    return undefined
  const loadAcpSessionId = await acpSessionOfRole(tx, row)
  const acp = {
    workspace: {
      userSessionShort: shortId(row.user_session_id),
      role: row.role,
      path: row.workspace_wanted,
      ...(row.workspace_roots !== null && { roots: JSON.parse(row.workspace_roots) as string[] }),
      setUp: await setUpOf(tx, launch.projectId),
    },
    loadAcpSessionId,
    lastOpenedAt: loadAcpSessionId === null ? null : row.opened_at,
    contextId: await contextOfRole(tx, row, launch, context),
    ...(await timeLimits(tx, launch.projectId)),
  }
  return {
    agent,
    acp,
    owner: await transcriptOwner(tx, { ...roleContextKey(row), projectId: launch.projectId }),
  }
}

/** The ACP session that a role goes on with. FS8: none that knows what was taken back. */
async function acpSessionOfRole(reader: Reader, row: RoleAgentRow): Promise<string | null> {
  if (row.load_acp_session_id === null) return null
  const held = await reader.first(selectContextOf, roleContextKey(row))
  if (!held) return row.load_acp_session_id
  return (await contextFacts(reader, held)).isOver ? null : held.acp_session_id
}

/** AC4: a new start in a role gets a new context. */
async function contextOfRole(
  tx: Tx,
  row: RoleAgentRow,
  launch: Launch,
  context: Context,
): Promise<string> {
  const beginsAnew = row.state === 'SPAWNING' && row.load_acp_session_id === null
  const found = await getOrCreateContext(
    tx,
    roleContextKey(row),
    context,
    beginsAnew ? 'terminated' : undefined,
  )
  await beginOpening(tx, found, launch.id)
  return found.id
}

/** The last characters of the id, since these ids begin with the time. */
const shortId = (userSessionId: string): string => userSessionId.replaceAll('-', '').slice(-8)
