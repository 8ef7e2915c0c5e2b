/**
 * What somebody else gets of what is Ann's (SE28), by each way in. It follows from what use cases,
 * queries and streams declare: which scope they need, and whose they are.
 */
import type { Rights, Subject } from '../../../src/domain/access/rights.ts'
import type { StreamKind } from '../../../src/domain/stream-name.ts'
import { toolNamed } from '../../../src/doors/mcp/tool-list.ts'
import { relayRights } from '../../../src/doors/relay/relay.ts'
import { routeRights } from '../../../src/doors/rest/register-routes.ts'
import type { Route } from '../../../src/protocol/route.ts'
import { type Routes, routes } from '../../../src/protocol/routes.ts'
import { streamRights } from '../../../src/services/access/stream-rights.ts'

type Operation = keyof Routes

/**
 * `own`: 404. `seen`: 200, and of what is Ann's the title and the state at most. `managed`: 403,
 * for who manages or a program. `changes`: what is shared, or something of the caller's own begun.
 * `elsewhere`: a refusal.
 */
type Class = 'own' | 'seen' | 'managed' | 'changes' | 'streams' | 'elsewhere'

/** What may be one person's. */
const mayBeOnes: ReadonlySet<Subject> = new Set([
  'conversation',
  'user-session',
  'approval',
  'worktree',
])
const forPeople: ReadonlySet<Rights['scope']> = new Set([
  'anybody',
  'nobody',
  'read',
  'write',
  'approve',
])

const exceptions: Partial<Record<Operation, Class>> = {
  // Names no conversation that is there: begins one of the caller's own.
  getOrCreateConversation: 'changes',
  // Nothing of the kind is in the scene.
  getArtifact: 'elsewhere',
  getTask: 'elsewhere',
  getNote: 'elsewhere',
  // All of the scene's work runs, and such has nothing to resume.
  previewResume: 'elsewhere',
}

export function classOf(operation: Operation): Class {
  const { method, media }: Route = routes[operation]
  const { scope, on } = routeRights[operation]
  const exception = exceptions[operation]
  if (exception) return exception
  if (media === 'text/event-stream') return 'streams'
  if (mayBeOnes.has(on)) return 'own'
  if (!forPeople.has(scope)) return 'managed'
  return method === 'GET' ? 'seen' : 'changes'
}

/** Whether others may follow streams of the kind, and see their part. */
export const isShared = (kind: StreamKind): boolean => {
  const { scope, on } = streamRights[kind]
  return scope === 'read' && !mayBeOnes.has(on)
}

/** Messages of the relay that are about what Ann has. */
export const relayTypesAboutOnes = Object.entries(relayRights)
  .filter(([, { on }]) => mayBeOnes.has(on))
  .map(([type]) => type)

/**
 * What an agent gets from a tool: a refusal for its scope, one for what is not there since it names
 * a request of Ann's, or what is its own session's.
 */
export function toolAnswer(name: string): 'missing_scope' | 'not_found' | 'its own' {
  const tool = toolNamed(name)
  if (tool?.does.scope !== 'agent') return 'missing_scope'
  return Object.hasOwn(tool.input.shape, 'approval_id') ? 'not_found' : 'its own'
}

/**
 * Tools of people's own agents that begin nothing, and whether what they are about may be one's.
 */
export const toolsOfPeople = [
  'list_sessions',
  'search_sessions',
  'prompt_session',
  'wait_for_session',
  'read_session',
  'read_diff',
  'answer_approval',
].map((name) => ({ name, isOnes: mayBeOnes.has(toolNamed(name)?.does.on ?? 'nobody') }))
