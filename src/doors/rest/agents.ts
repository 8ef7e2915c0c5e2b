/** REST handlers for agents, their passkeys, the secrets of projects and what agents used of models. */
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
import { deleteAgent } from '../../services/flows/delete-agent.ts'
import { replacePasskey } from '../../services/flows/replace-passkey.ts'
import { listModelUsage } from '../../services/turns/queries.ts'
import { type HandlersOf, query, run } from './handler.ts'

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

async function startOf({ store, seals }: ServerDependencies, agent: { agentId: string }) {
  const { env, ...start } = await store.query(findAgentStart, agent)
  return { ...start, env: seals.open(env) }
}

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
  deleteAgent: async ({ params, who, deps: { store }, receipt }) => {
    await store.run(deleteAgent, { ...params, by: who.id }, receipt)
  },
  replacePasskey: async ({ params, who, deps: { store }, receipt }) => {
    return store.run(replacePasskey, { ...params, by: who.id }, receipt)
  },
  inspectAgent: async ({ params, query: { folder }, deps }) =>
    (await deps.signIns()).inspect(await startOf(deps, params), folder),
  signInAgent: async ({ params, body, deps }) =>
    (await deps.signIns()).signIn(params.agentId, await startOf(deps, params), body.method),
  getSignIn: async ({ params, deps }) => {
    const attempt = (await deps.signIns()).attempt(params.agentId)
    if (!attempt) throw new Refusal('not_found', refusalText('noSignIn'))
    return attempt
  },
  signOutAgent: async ({ params, deps }) =>
    (await deps.signIns()).signOut(await startOf(deps, params)),
  listDetectedAgents: ({ deps }) => deps.detectAgents(),
  probeSandbox: ({ body, deps }) => deps.probeSandbox(body),
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
