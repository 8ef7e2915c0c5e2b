/**
 * REST handlers for agents, their passkeys, the secrets of projects and what agents used of models.
 */
import type { Caller } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Seals } from '../../platform/secrets/seals.ts'
import { maskedValue } from '../../protocol/agents/masked-value.ts'
import type { agentRoutes } from '../../protocol/agents/routes.ts'
import type { secretRoutes } from '../../protocol/agents/secret.ts'
import type { modelUsageRoutes } from '../../protocol/turns/model-usage.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import {
  changeAgent,
  createAgent,
  type SentEnvironment,
} from '../../services/agents/change-agent.ts'
import { findAgentStart, getAgent, listAgents } from '../../services/agents/queries.ts'
import {
  listSecrets,
  listSecretUses,
  removeSecret,
  setSecret,
} from '../../services/agents/secrets.ts'
import { replacePasskey } from '../../services/flows/agent-sessions/replace-passkey.ts'
import { deleteAgent } from '../../services/flows/projects/delete-agent.ts'
import { listModelUsage } from '../../services/turns/queries.ts'
import { allowed, by, type HandlersOf, query, run } from './handler.ts'

/** Seals environment values before they reach the store (SE12). A mask keeps the stored value. */
const sealed = (
  seals: Seals,
  env: Readonly<Record<string, string>> | undefined,
): SentEnvironment | undefined =>
  env &&
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value === maskedValue ? maskedValue : seals.seal(name, value),
    ]),
  )

async function startOf(
  { app, seals }: ServerDependencies,
  agent: { agentId: string },
  who: Caller,
) {
  const { env, ...start } = await app.read(findAgentStart, agent, who)
  return { ...start, env: seals.open(env) }
}

/** Programs on the server's machine. */
const startsPrograms = { scope: 'manage', on: 'nobody' } as const

export const agentHandlers: HandlersOf<typeof agentRoutes> = {
  listAgents: query(listAgents, (call) => call.query),
  createAgent: run(createAgent, ({ body, who, deps: { seals } }) => ({
    ...body,
    env: sealed(seals, body.env),
    by: who.id,
  })),
  getAgent: query(getAgent, ({ params }) => params),
  changeAgent: run(changeAgent, ({ body, params, who, deps: { seals } }) => ({
    ...body,
    env: sealed(seals, body.env),
    ...params,
    by: who.id,
  })),
  deleteAgent: by(deleteAgent, async ({ params, who, deps: { app }, receipt }) => {
    await app.run(deleteAgent, { ...params, by: who.id }, who, receipt)
  }),
  replacePasskey: run(replacePasskey, ({ params, who }) => ({ ...params, by: who.id })),
  inspectAgent: by(findAgentStart, async ({ params, query: { folder }, deps, who }) =>
    (await deps.signIns()).inspect(await startOf(deps, params, who), folder),
  ),
  signInAgent: by(findAgentStart, async ({ params, body, deps, who }) =>
    (await deps.signIns()).signIn(params.agentId, await startOf(deps, params, who), body.method),
  ),
  getSignIn: allowed(startsPrograms, async ({ params, deps }) => {
    const attempt = (await deps.signIns()).attempt(params.agentId)
    if (!attempt) throw new Refusal('not_found', refusalText('noSignIn'))
    return attempt
  }),
  signOutAgent: by(findAgentStart, async ({ params, deps, who }) =>
    (await deps.signIns()).signOut(await startOf(deps, params, who)),
  ),
  listDetectedAgents: allowed(startsPrograms, ({ deps }) => deps.detectAgents()),
  prepareAgent: allowed(startsPrograms, ({ params, body, deps }) =>
    deps.preparations.begin(params.agent, body.step),
  ),
  getPreparation: allowed(startsPrograms, async ({ params, deps }) =>
    deps.preparations.read(params.agent),
  ),
  answerPreparation: allowed(startsPrograms, async ({ params, body, deps }) =>
    deps.preparations.answer(params.agent, body.code),
  ),
  cancelPreparation: allowed(startsPrograms, ({ params, deps }) =>
    deps.preparations.cancel(params.agent),
  ),
  probeSandbox: allowed(startsPrograms, ({ body, deps }) => deps.probeSandbox(body)),
}

export const secretHandlers: HandlersOf<typeof secretRoutes> = {
  listSecrets: query(listSecrets, ({ params }) => params),
  setSecret: run(setSecret, ({ body: { value, ...body }, params, who, deps: { seals } }) => ({
    ...body,
    ...params,
    value: value === undefined ? undefined : seals.seal(params.name, value),
    by: who.id,
  })),
  removeSecret: run(removeSecret, ({ params, who }) => ({ ...params, by: who.id })),
  listSecretUses: query(listSecretUses, ({ params }) => params),
}

export const modelUsageHandlers: HandlersOf<typeof modelUsageRoutes> = {
  listModelUsage: query(listModelUsage, ({ params }) => params),
}
