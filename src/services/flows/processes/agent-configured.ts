/** What an agent in a role offers to be set to, what was asked for, and what became of it (AG6). */

import { changesTo, notOffered, withChange } from '../../../domain/consoles/lifecycle.ts'
import { detailFrom, noticeField, textOf } from '../../../domain/notices.ts'
import { userSessionStream } from '../../../domain/stream-name.ts'
import { maskDetail } from '../../../platform/log/mask.ts'
import type { LinkFact } from '../../../protocol/processes/link.ts'
import type { Offers, RoleAgentRow } from '../../../store/consoles/user-sessions.ts'
import type { Context, Tx } from '../../../store/store.ts'

type Configured = Extract<LinkFact, { type: 'agent-configured' }>

/**
 * Returns the changes that set a restarted agent as before (AG6). `refused`: those that it does not
 * offer any more.
 */
export function changesAgain(
  { pending: unanswered = [], ...was }: Offers,
  offers: Offers,
  { random }: Context,
) {
  const before = unanswered.reduce((set, { change }) => withChange(set, change), was)
  const changes = changesTo(before, offers).map((change) => ({
    change,
    error: notOffered(offers, change)?.detail,
  }))
  const refused = changes.flatMap(({ change, error }) =>
    error === undefined ? [] : [{ change, error }],
  )
  const pending = changes.flatMap(({ change, error }) =>
    error ? [] : [{ configureId: random.uuid(), change }],
  )
  return { pending, refused }
}

/** Stores an agent's changed modes, options or usage for later readers. This happens rarely. */
export async function updateOffers(
  tx: Tx,
  agent: RoleAgentRow,
  changed: Partial<Offers>,
): Promise<void> {
  await tx.update('role_agents', {
    id: agent.id,
    offers: JSON.stringify({ ...JSON.parse(agent.offers), ...changed }),
  })
}

/** Records that a requested configuration change was applied or refused. Announced once. */
export async function agentConfigured(
  tx: Tx,
  agent: RoleAgentRow,
  fact: Configured,
): Promise<void> {
  const offers: Offers = JSON.parse(agent.offers)
  const left = (offers.pending ?? []).filter(({ configureId }) => configureId !== fact.configureId)
  if (left.length === (offers.pending ?? []).length) return
  const { change } = fact
  const error = maskDetail(detailFrom(fact.error, fact.notice))
  await updateOffers(tx, agent, {
    ...(error === null ? withChange(offers, change) : offers),
    pending: left,
  })
  const data = { role: agent.role, change, error: error && textOf(error), ...noticeField(error) }
  tx.append(userSessionStream(agent.user_session_id), { type: 'agent:configured', data })
}
